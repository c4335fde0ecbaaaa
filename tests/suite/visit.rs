//! Visiting: what the sweep `what_is_visited_is_what_is_decoded` does not reach.

use crate::common::wire::Wire;
use tablepb::visit::{Field, Sink, Step, Visited};
use tablepb::wire::Tag;
use tablepb::{
    DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool, EnumTable, FieldTable, Kind, MessageTable,
    Projection, Syntax,
};

static NODE: MessageTable = MessageTable::new(
    "v.Node",
    &[
        FieldTable::new("name", 1, Kind::String),
        FieldTable::new("child", 2, Kind::Message(|| &NODE)),
        FieldTable::new("numbers", 3, Kind::Sint64).repeated(),
        FieldTable::new("flag", 4, Kind::Bool),
        FieldTable::map("ids", 5, Kind::Int32, Kind::Message(|| &NODE)),
    ],
);

static STRICT: MessageTable = MessageTable::new(
    "v.Strict",
    &[FieldTable::new("inner", 1, Kind::Message(|| &STRICT_INNER)), FieldTable::new("other", 2, Kind::Int32)],
)
.syntax(Syntax::Proto2);

static STRICT_INNER: MessageTable = MessageTable::new(
    "v.StrictInner",
    &[FieldTable::new("a", 1, Kind::Int32).required(), FieldTable::new("b", 2, Kind::Int32).required()],
)
.syntax(Syntax::Proto2);

fn decoder(table: &'static MessageTable) -> Decoder {
    let pool = DescriptorPool::from_tables(&[table]).unwrap();
    Decoder::new(&pool.get_message_by_name(table.full_name()).unwrap())
}

/// What came, as text.
#[derive(Default)]
struct Log {
    lines: Vec<String>,
    skipped: Option<&'static str>,
    ordered: bool,
}

impl<'i> Sink<'i> for Log {
    fn in_order(&self) -> bool {
        self.ordered
    }

    fn begin(&mut self, field: Field<'_>) -> Step {
        if self.skipped == Some(field.descriptor().name()) {
            return Step::Skip;
        }
        self.lines.push(format!("{} {{", field.descriptor().name()));
        Step::Enter
    }

    fn end(&mut self, field: Field<'_>) {
        self.lines.push(format!("}} {}", field.number()));
    }

    fn bool(&mut self, field: Field<'_>, value: bool) {
        self.lines.push(format!("{} = {value}", field.descriptor().name()));
    }

    fn i32(&mut self, field: Field<'_>, value: i32) {
        self.lines.push(format!("{} = {value}", field.descriptor().name()));
    }

    fn str(&mut self, field: Field<'_>, value: &'i str) {
        self.lines.push(format!("{} = {value:?}", field.descriptor().name()));
    }

    fn i64s(&mut self, field: Field<'_>, values: &[i64]) {
        self.lines.push(format!("{}[{}] = {}", field.index(), values.len(), values.iter().sum::<i64>()));
    }

    fn unknown(&mut self, tag: Tag, value: &'i [u8]) {
        self.lines.push(format!("{}? {value:?}", tag.number()));
    }
}

fn lines(decoder: &mut Decoder, input: &[u8], log: Log) -> Vec<String> {
    let mut log = log;
    decoder.visit(input, &mut log).unwrap();
    log.lines
}

#[test]
fn fields_come_in_the_order_of_the_wire() {
    let mut decoder = decoder(&NODE);
    let entry = Wire::new().int(1, 7).message(2, Wire::new().bytes(1, "leaf"));
    let input = Wire::new()
        .int(4, 1)
        .message(2, Wire::new().bytes(1, "x").int(9, 5))
        .bytes(1, "first")
        .message(5, entry)
        .bytes(1, "second")
        .0;
    let seen = lines(&mut decoder, &input, Log::default());
    let expected = [
        "flag = true",
        "child {",
        "name = \"x\"",
        "9? [5]",
        "} 2",
        "name = \"first\"",
        "ids {",
        "key = 7",
        "value {",
        "name = \"leaf\"",
        "} 2",
        "} 5",
        "name = \"second\"",
    ];
    assert_eq!(seen, expected);
    // The name that comes again ends the visit of a sink that wants order.
    let mut ordered = Log { ordered: true, ..Log::default() };
    assert_eq!(decoder.visit(&input, &mut ordered), Ok(Visited::OutOfOrder));
    assert_eq!(ordered.lines, expected[..12]);
    let skipped = lines(&mut decoder, &input, Log { skipped: Some("ids"), ..Log::default() });
    assert_eq!(skipped, [&expected[..6], &expected[12..]].concat());
}

#[test]
fn long_runs_come_in_parts() {
    let mut decoder = decoder(&NODE);
    for len in [1usize, 7, 8, 9, 16, 17, 255, 256, 257, 1000] {
        let run: Vec<u8> = (0..len).map(|i| 2 * (i % 60) as u8).collect();
        let input = Wire::new().bytes(3, &run).0;
        let seen = lines(&mut decoder, &input, Log::default());
        assert_eq!(seen.len(), len.div_ceil(256), "{len}");
        let sum: usize =
            seen.iter().map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum();
        assert_eq!(sum, (0..len).map(|i| i % 60).sum::<usize>());
    }
    assert_eq!(lines(&mut decoder, &Wire::new().bytes(3, "").0, Log::default()), [""; 0]);
}

#[test]
fn a_projection_hides_what_it_does_not_select() {
    let pool = DescriptorPool::from_tables(&[&NODE]).unwrap();
    let node = pool.get_message_by_name("v.Node").unwrap();
    let input = Wire::new()
        .int(4, 1)
        .message(2, Wire::new().bytes(1, "x").int(4, 1))
        .bytes(3, [2, 4])
        .int(77, 1)
        .bytes(1, "n")
        .0;
    let projection = Projection::new(&node, ["name", "child.flag"]).unwrap();
    let mut decoder = Decoder::new(&node).with_projection(&projection);
    let expected = ["child {", "flag = true", "} 2", "name = \"n\""];
    assert_eq!(lines(&mut decoder, &input, Log::default()), expected);
    // Lazy fields are visited as others, and their faults are found.
    let mut lazy = Decoder::new(&node).with_lazy(["child"]).unwrap();
    assert_eq!(lines(&mut lazy, &input, Log::default()).len(), 8);
    let broken = Wire::new().bytes(2, [0x0a, 1, 0xff]).0;
    assert!(lazy.decode(&broken).is_ok());
    let error = lazy.visit(&broken, &mut Log::default()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, 4));
}

#[test]
fn an_unselected_member_of_a_oneof_is_out_of_order() {
    static CHOICE: MessageTable = MessageTable::new(
        "v.Choice",
        &[
            FieldTable::new("a", 1, Kind::Int32).oneof("choice"),
            FieldTable::new("b", 2, Kind::Int32).oneof("choice"),
        ],
    );
    let pool = DescriptorPool::from_tables(&[&CHOICE]).unwrap();
    let choice = pool.get_message_by_name("v.Choice").unwrap();
    let projection = Projection::new(&choice, ["a"]).unwrap();
    let mut decoder = Decoder::new(&choice).with_projection(&projection);
    let mut visited = |input: &[u8]| decoder.visit(input, &mut Log { ordered: true, ..Log::default() });
    assert_eq!(visited(b"\x08\x01\x10\x02"), Ok(Visited::OutOfOrder));
    assert_eq!(visited(b"\x10\x02\x08\x01"), Ok(Visited::Whole));
}

#[test]
fn an_entry_of_a_closed_enum_counts_as_a_level() {
    static OLD: MessageTable =
        MessageTable::new("v.Old", &[FieldTable::map("m", 1, Kind::Int32, Kind::Enum(|| &LEVEL))])
            .syntax(Syntax::Proto2);
    static LEVEL: EnumTable = EnumTable::new("v.Level", &[("ZERO", 0), ("LOW", 3)]).closed();
    let input = b"\x0a\x02\x10\x63";
    let mut decoder = decoder(&OLD);
    assert_eq!(lines(&mut decoder, input, Log::default()), ["1? [2, 16, 99]"]);
    let mut flat = decoder.with_options(DecodeOptions::new().max_depth(0));
    let visited = flat.visit(input, &mut Log::default()).unwrap_err();
    assert_eq!(visited.to_string(), flat.decode(input).unwrap_err().to_string());
}

#[test]
fn depth_is_bounded_as_in_decoding() {
    let nest =
        |levels: usize| (0..levels).fold(Vec::new(), |inner: Vec<u8>, _| Wire::new().bytes(2, &inner).0);
    let mut decoder = decoder(&NODE);
    assert_eq!(lines(&mut decoder, &nest(100), Log::default()).len(), 200);
    let visited = decoder.visit(&nest(101), &mut Log::default()).unwrap_err();
    let decoded = decoder.decode(&nest(101)).unwrap_err();
    assert_eq!((visited.kind(), visited.to_string()), (DecodeErrorKind::DepthExceeded, decoded.to_string()));
    let deep = DecodeOptions::new().max_depth(3000);
    let mut decoder = decoder.with_options(deep);
    assert_eq!(lines(&mut decoder, &nest(3000), Log::default()).len(), 6000);
    decoder.shrink_to(0);
    assert_eq!(lines(&mut decoder, &nest(1), Log::default()).len(), 2);
}

#[test]
fn a_required_field_may_come_with_another_part() {
    let mut decoder = decoder(&STRICT);
    let part = |number| Wire::new().message(1, Wire::new().int(number, 1)).0;
    let whole = [part(1), part(2)].concat();
    assert_eq!(lines(&mut decoder, &whole, Log::default()).len(), 6);
    let error = decoder.visit(&part(2), &mut Log::default()).unwrap_err();
    assert_eq!(error.to_string(), decoder.decode(&part(2)).unwrap_err().to_string());
    assert_eq!(error.kind(), DecodeErrorKind::MissingRequired);
    let mut partial = decoder.with_options(DecodeOptions::new().allow_partial(true));
    assert_eq!(lines(&mut partial, &part(2), Log::default()).len(), 3);
}

#[test]
fn any_cut_is_the_error_of_decoding() {
    let mut decoder = decoder(&NODE);
    let entry = Wire::new().int(1, 7).message(2, Wire::new().bytes(1, "leaf"));
    let input = Wire::new().message(5, entry).bytes(3, [2; 40]).bytes(1, "é").fixed64(8, 1).0;
    for len in 0..=input.len() {
        let visited = decoder.visit(&input[..len], &mut Log::default()).map_err(|e| e.to_string());
        let decoded = decoder.decode(&input[..len]).map(|_| Visited::Whole).map_err(|e| e.to_string());
        assert_eq!(visited, decoded, "{len}");
    }
}

#[test]
fn a_sink_may_be_behind_dyn() {
    let mut log = Log::default();
    let sink: &mut dyn Sink<'_> = &mut log;
    decoder(&NODE).visit(&Wire::new().int(4, 1).0, sink).unwrap();
    assert_eq!(log.lines, ["flag = true"]);
}
