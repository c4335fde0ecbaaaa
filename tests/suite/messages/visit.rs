//! Visiting: what the sweep `what_is_visited_is_what_is_decoded` does not reach.

use crate::common::wire::Wire;
use tablepb::partial::Projection;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable, Syntax};
use tablepb::visit::{Field, Sink, Step, Visited};
use tablepb::wire::Tag;
use tablepb::{DecodeErrorKind, DecodeOptions, Decoder, DescriptorPool};

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

static MESH: MessageTable = MessageTable::new(
    "v.Mesh",
    &[
        FieldTable::new("triangles", 1, Kind::Message(|| &TRIANGLE)).repeated(),
        FieldTable::new("points", 2, Kind::Message(|| &POINT)).repeated(),
        FieldTable::new("samples", 3, Kind::Message(|| &SAMPLE)).repeated(),
        FieldTable::new("center", 4, Kind::Message(|| &POINT)),
        FieldTable::new("codes", 5, Kind::Uint32).repeated(),
    ],
);

static TRIANGLE: MessageTable = MessageTable::new(
    "v.Triangle",
    &[
        FieldTable::new("a", 1, Kind::Message(|| &POINT)),
        FieldTable::new("b", 2, Kind::Message(|| &POINT)),
        FieldTable::new("c", 3, Kind::Message(|| &POINT)),
    ],
);

static POINT: MessageTable = MessageTable::new(
    "v.Point",
    &[
        FieldTable::new("x", 1, Kind::Float),
        FieldTable::new("y", 2, Kind::Float),
        FieldTable::new("z", 3, Kind::Float),
    ],
);

static SAMPLE: MessageTable = MessageTable::new(
    "v.Sample",
    &[
        FieldTable::new("time", 1, Kind::Fixed64),
        FieldTable::new("level", 2, Kind::Sfixed32),
        FieldTable::new("value", 3, Kind::Double),
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
    Decoder::new(&pool.message(table.full_name()).unwrap())
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

    fn u64(&mut self, field: Field<'_>, value: u64) {
        self.lines.push(format!("{} = {value}", field.descriptor().name()));
    }

    fn f32(&mut self, field: Field<'_>, value: f32) {
        self.lines.push(format!("{} = {value}", field.descriptor().name()));
    }

    fn f64(&mut self, field: Field<'_>, value: f64) {
        self.lines.push(format!("{} = {value}", field.descriptor().name()));
    }

    fn u32s(&mut self, _: Field<'_>, values: &[u32]) {
        self.lines.extend(values.iter().map(u32::to_string));
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
        // A kernel stops where a window of 64 values may not fit, and before the last window of the input.
        assert!((len.div_ceil(256)..=len / 193 + 2).contains(&seen.len()), "{len}: {}", seen.len());
        let sum: usize =
            seen.iter().map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum();
        assert_eq!(sum, (0..len).map(|i| i % 60).sum::<usize>());
    }
    assert_eq!(lines(&mut decoder, &Wire::new().bytes(3, "").0, Log::default()), [""; 0]);
}

#[test]
fn a_projection_hides_what_it_does_not_select() {
    let pool = DescriptorPool::from_tables(&[&NODE]).unwrap();
    let node = pool.message("v.Node").unwrap();
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
    let choice = pool.message("v.Choice").unwrap();
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
fn groups_are_levels_too() {
    static TREE: MessageTable = MessageTable::new(
        "v.Tree",
        &[
            FieldTable::new("child", 1, Kind::Message(|| &TREE)).delimited(),
            FieldTable::new("children", 2, Kind::Message(|| &TREE)).repeated().delimited(),
        ],
    )
    .syntax(Syntax::Proto2);
    for number in [1, 2] {
        let nest = |levels| (0..levels).fold(Wire::new(), |inner, _| Wire::new().group(number, inner)).0;
        let mut decoder = decoder(&TREE);
        assert_eq!(lines(&mut decoder, &nest(100), Log::default()).len(), 200);
        let visited = decoder.visit(&nest(101), &mut Log::default()).unwrap_err();
        let decoded = decoder.decode(&nest(101)).unwrap_err();
        assert_eq!(
            (visited.kind(), visited.to_string()),
            (DecodeErrorKind::DepthExceeded, decoded.to_string())
        );
    }
}

/// Fields that a projection leaves out, of each wire type, one after the other.
#[test]
fn what_a_projection_leaves_out_is_skipped() {
    static EACH: MessageTable = MessageTable::new(
        "v.Each",
        &[
            FieldTable::new("varint", 1, Kind::Uint64),
            FieldTable::new("fixed32", 2, Kind::Fixed32),
            FieldTable::new("fixed64", 3, Kind::Double),
            FieldTable::new("text", 4, Kind::String),
            FieldTable::new("kept", 5, Kind::Int32),
            FieldTable::new("fixed", 6, Kind::Fixed32).repeated(),
        ],
    );
    let pool = DescriptorPool::from_tables(&[&EACH]).unwrap();
    let each = pool.message("v.Each").unwrap();
    let projection = Projection::new(&each, ["kept"]).unwrap();
    let mut decoder = Decoder::new(&each).with_projection(&projection);
    let one = || {
        Wire::new().int(1, u64::MAX).fixed32(2, 7).fixed64(3, 8).bytes(4, "text").int(5, 9).bytes(6, [0; 8])
    };
    // Long enough for the loop over the front, and short.
    for times in [1, 3] {
        let input = (0..times).flat_map(|_| one().0).collect::<Vec<_>>();
        assert_eq!(lines(&mut decoder, &input, Log::default()), vec!["kept = 9"; times]);
        for len in 0..=input.len() {
            let visited = decoder.visit(&input[..len], &mut Log::default()).map_err(|e| e.to_string());
            let decoded = decoder.decode(&input[..len]).map(|_| Visited::Whole).map_err(|e| e.to_string());
            assert_eq!(visited, decoded, "{len}");
        }
    }
}

#[test]
fn a_packed_run_that_ends_within_a_value_is_an_error() {
    static FIXED: MessageTable = MessageTable::new(
        "v.Fixed",
        &[
            FieldTable::new("four", 1, Kind::Fixed32).repeated(),
            FieldTable::new("eight", 2, Kind::Double).repeated(),
        ],
    );
    let mut decoder = decoder(&FIXED);
    for (number, len) in [(1, 7), (2, 12)] {
        let input = Wire::new().bytes(number, vec![1; len]).0;
        let visited = decoder.visit(&input, &mut Log::default()).unwrap_err();
        assert_eq!(visited.kind(), DecodeErrorKind::InvalidPacked);
        assert_eq!(visited.to_string(), decoder.decode(&input).unwrap_err().to_string());
    }
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

/// A message with the fields whose bits are set, in this order, and what a visit of it says.
fn point(fields: u32, order: [u32; 3]) -> (Wire, Vec<String>) {
    let set = order.into_iter().filter(|field| fields & (1 << field) != 0);
    set.fold(Default::default(), |(wire, mut lines): (Wire, Vec<String>), field| {
        lines.push(format!("{} = {}", ["x", "y", "z"][field as usize], field * 8));
        (wire.fixed32(field + 1, (field as f32 * 8.0).to_bits()), lines)
    })
}

/// A message in a field, and what a visit of it says.
fn within(number: u32, name: &str, (wire, lines): (Wire, Vec<String>)) -> (Wire, Vec<String>) {
    let lines = [vec![format!("{name} {{")], lines, vec![format!("}} {number}")]].concat();
    (Wire::new().message(number, wire), lines)
}

fn joined(parts: impl IntoIterator<Item = (Wire, Vec<String>)>) -> (Wire, Vec<String>) {
    parts.into_iter().fold(Default::default(), |(wire, lines): (Wire, Vec<String>), (more, then)| {
        (wire.raw(&more.0), [lines, then].concat())
    })
}

#[test]
fn messages_of_fixed_shape_are_visited_whatever_they_lack_and_wherever_they_end() {
    let mut decoder = decoder(&MESH);
    for order in [[0, 1, 2], [2, 0, 1]] {
        let triangle = |points: u32| {
            let corner =
                |i: u32| within(i + 1, ["a", "b", "c"][i as usize], point(points >> (3 * i) & 7, order));
            within(
                1,
                "triangles",
                joined(order.into_iter().filter(|i| points >> 9 & (1 << i) != 0).map(corner)),
            )
        };
        let parts = (0..8).flat_map(|fields| {
            let center = within(4, "center", point(fields, order));
            let points = [fields, 7, 7].map(|fields| within(2, "points", point(fields, order)));
            // All of a triangle, a point less, a number less, several numbers less.
            let triangles = [0xfff, 0xfff ^ (fields << 9), 0xfff ^ (fields << 3), 0xe00 | (0o111 * fields)];
            [joined(triangles.map(triangle)), joined(points), center]
        });
        let (input, expected) = joined(parts);
        for tail in [0, 1, 40, 200] {
            let padded = input.clone().bytes(9, vec![0; tail]).0;
            let seen = lines(&mut decoder, &padded, Log::default());
            assert_eq!(seen[..seen.len() - 1], expected, "{order:?} {tail}");
        }
        for len in (0..input.0.len()).step_by(7) {
            let visited = decoder.visit(&input.0[..len], &mut Log::default()).map_err(|e| e.to_string());
            let decoded = decoder.decode(&input.0[..len]).map(|_| Visited::Whole).map_err(|e| e.to_string());
            assert_eq!(visited, decoded, "{len}");
        }
    }
}

#[test]
fn numbers_of_eight_bytes_in_fixed_shapes_are_visited() {
    let sample =
        |time: u64| Wire::new().fixed64(1, time).fixed32(2, -3i32 as u32).fixed64(3, 2.5f64.to_bits());
    let late = Wire::new().fixed64(3, 1f64.to_bits());
    let input = Wire::new().message(3, sample(1)).message(3, late).message(3, sample(2)).bytes(9, [0; 100]).0;
    let one = |time: u64| format!("samples {{|time = {time}|level = -3|value = 2.5|}} 3");
    let expected = [one(1), "samples {|value = 1|} 3".to_owned(), one(2)].join("|");
    let seen = lines(&mut decoder(&MESH), &input, Log::default()).join("|");
    assert!(seen.starts_with(&format!("{expected}|9? ")), "{seen}");
}

#[test]
fn a_sink_skips_messages_of_fixed_shape_and_sees_their_order() {
    let corner = |number| within(number, ["a", "b", "c"][number as usize - 1], point(7, [0, 1, 2])).0;
    let triangle = (1..=3).fold(Wire::new(), |triangle, number| triangle.raw(&corner(number).0));
    let input = Wire::new().message(1, triangle.clone()).message(1, triangle).bytes(9, [0; 200]).0;
    let mut decoder = decoder(&MESH);
    assert_eq!(lines(&mut decoder, &input, Log::default()).len(), 2 * 17 + 1);
    for (skipped, left) in [("triangles", 1), ("b", 2 * 12 + 1)] {
        let log = Log { skipped: Some(skipped), ..Log::default() };
        assert_eq!(lines(&mut decoder, &input, log).len(), left, "{skipped}");
    }
    let ordered = || Log { ordered: true, ..Log::default() };
    assert_eq!(decoder.visit(&input, &mut ordered()), Ok(Visited::Whole));
    let mut log = ordered();
    let (center, between) = within(4, "center", point(7, [0, 1, 2]));
    let apart = Wire::new().raw(&input).raw(&center.0).raw(&input).0;
    assert_eq!(decoder.visit(&apart, &mut log), Ok(Visited::OutOfOrder));
    assert_eq!(log.lines[2 * 17 + 1..], between);
    for depth in 0..3 {
        let mut shallow = decoder.clone().with_options(DecodeOptions::new().max_depth(depth));
        let visited = shallow.visit(&input, &mut Log::default()).map_err(|e| e.to_string());
        let decoded = shallow.decode(&input).map(|_| Visited::Whole).map_err(|e| e.to_string());
        assert_eq!(visited, decoded, "{depth}");
        assert_eq!(visited.is_ok(), depth == 2);
    }
}

#[test]
fn packed_runs_of_unsigned_numbers_are_those_of_the_wire() {
    let mut decoder = decoder(&MESH);
    for len in [1u32, 5, 9, 20, 300, 3000] {
        let values: Vec<u32> = (0..len).map(|i| i.wrapping_mul(0x9e37_79b9) >> (i * 7 % 32)).collect();
        let run = values.iter().fold(Wire::new(), |run, value| run.varint((*value).into()));
        let expected: Vec<String> = values.iter().map(u32::to_string).collect();
        let input = Wire::new().message(5, run).0;
        assert_eq!(lines(&mut decoder, &input, Log::default()), expected, "{len}");
        // A run that ends inside of a value.
        let mut cut = input;
        *cut.last_mut().unwrap() |= 0x80;
        let visited = decoder.visit(&cut, &mut Log::default()).unwrap_err().to_string();
        assert_eq!(visited, decoder.decode(&cut).unwrap_err().to_string());
    }
}
