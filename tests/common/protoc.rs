//! protoc: the program named by the environment variable `PROTOC`, else `protoc`, else the one
//! inside of Python's grpcio-tools.

use std::path::{Path, PathBuf};
use std::process::Command;
use tablepb::schema::Edition;

/// A protoc that was found.
pub struct Protoc {
    command: Vec<String>,
}

/// A directory that is deleted in the end.
pub struct Dir(pub PathBuf);

impl Dir {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("tablepb-protoc-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn write(&self, name: &str, source: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, source).unwrap();
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Protoc {
    pub fn find() -> Self {
        let named = std::env::var("PROTOC").ok().map(|path| path.split(' ').map(String::from).collect());
        let known =
            [vec!["protoc".to_string()], ["python3", "-m", "grpc_tools.protoc"].map(String::from).to_vec()];
        for command in named.into_iter().chain(known) {
            let found = Command::new(&command[0]).args(&command[1..]).arg("--version").output();
            if found.is_ok_and(|output| output.status.success()) {
                // An option that older releases do not know, and newer ones need for edition UNSTABLE.
                let with_flag = [&command[..], &["--experimental_editions".to_string()]].concat();
                let with_flag = Self { command: with_flag };
                return if with_flag.knows(Edition::Proto3) { with_flag } else { Self { command } };
            }
        }
        panic!("no protoc (PROTOC, protoc, python3 -m grpc_tools.protoc)");
    }

    /// A descriptor set of these files and all they import, or what protoc says.
    pub fn compile(&self, dir: &Path, files: &[String]) -> Result<Vec<u8>, String> {
        self.run(dir, files, &[])
    }

    /// The same with places and comments.
    pub fn compile_with_info(&self, dir: &Path, files: &[String]) -> Result<Vec<u8>, String> {
        self.run(dir, files, &["--include_source_info"])
    }

    /// What protoc says of a file that it takes.
    pub fn warnings(&self, dir: &Path, file: &str) -> Result<String, String> {
        let (include, out) = (format!("-I{}", dir.display()), format!("-o{}", dir.join("set").display()));
        let output = Command::new(&self.command[0])
            .args(&self.command[1..])
            .args([&include, &out, file])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(text) } else { Err(text) }
    }

    fn run(&self, dir: &Path, files: &[String], options: &[&str]) -> Result<Vec<u8>, String> {
        let set = std::env::temp_dir().join(format!(
            "tablepb-set-{}-{:?}.binpb",
            std::process::id(),
            std::thread::current().id()
        ));
        let output = Command::new(&self.command[0])
            .args(&self.command[1..])
            .arg(format!("-I{}", dir.display()))
            .arg("--include_imports")
            .args(options)
            .arg(format!("--descriptor_set_out={}", set.display()))
            .args(files)
            .output()
            .unwrap();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let bytes = std::fs::read(&set).unwrap();
        let _ = std::fs::remove_file(set);
        Ok(bytes)
    }

    /// Whether this protoc knows the edition.
    pub fn knows(&self, edition: Edition) -> bool {
        let header = match edition {
            Edition::Edition2023 => "edition = \"2023\";",
            Edition::Edition2024 => "edition = \"2024\";",
            Edition::Edition2026 => "edition = \"2026\";",
            Edition::Unstable => "edition = \"UNSTABLE\";",
            _ => "syntax = \"proto3\";",
        };
        let dir = Dir::new(&format!("probe-{edition:?}-{:?}", std::thread::current().id()));
        dir.write("probe.proto", header);
        self.compile(&dir.0, &["probe.proto".into()]).is_ok()
    }
}
