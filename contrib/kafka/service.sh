# What `broker` and `registry` share: a program of Java in a directory, with its process in the file `pid`.

# Ends it, at once with `-9`.
stop() {
    [ -f "$directory/pid" ] || return 0
    local pid
    pid=$(cat "$directory/pid")
    kill ${1:+"$1"} "$pid" 2>/dev/null || true
    for _ in $(seq 100); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
    rm -f "$directory/pid"
}

# Status 2 without Java 17 and Maven.
needs_java() {
    command -v java >/dev/null && command -v mvn >/dev/null || { echo "needs java and mvn" >&2; exit 2; }
    local version
    # `openjdk version "17.0.15"`, but `java version "1.8.0_392"`.
    version=$(java -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || true
    [ "${version:-0}" -ge 17 ] || { echo "needs Java 17" >&2; exit 2; }
}

# Waits until the program of the file `pid` of this directory listens to a port, and prints an address; or ends it with status 1.
await() {
    local address="$1" log="$2"
    for _ in $(seq 600); do
        kill -0 "$(cat pid)" 2>/dev/null || break
        if (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "$address"
            return
        fi
        sleep 0.1
    done
    echo "nothing answers at port $port; see $PWD/$log" >&2
    cd - >/dev/null
    stop
    exit 1
}
