//! Text format as it is printed, and `Debug` and `Display`, which are text format too.

use crate::common::wire::Wire;
use std::sync::OnceLock;
use tablepb::partial::Projection;
use tablepb::table::{EnumTable, FieldTable, Kind, MessageTable};
use tablepb::text;
use tablepb::{Decoder, DescriptorPool, DynamicMessage, Message, MessageDescriptor, Prepared, wkt};

static COLOR: EnumTable = EnumTable::new("t.Color", &[("RED", 0), ("GREEN", 1), ("BLUE", -3)]);
static ALL: MessageTable = MessageTable::new(
    "t.All",
    &[
        FieldTable::new("int", 1, Kind::Int32),
        FieldTable::new("long", 2, Kind::Uint64),
        FieldTable::new("flag", 3, Kind::Bool),
        FieldTable::new("single", 4, Kind::Float),
        FieldTable::new("double", 5, Kind::Double).repeated(),
        FieldTable::new("text", 6, Kind::String),
        FieldTable::new("data", 7, Kind::Bytes),
        FieldTable::new("color", 8, Kind::Enum(|| &COLOR)),
        FieldTable::new("child", 19, Kind::Message(|| &ALL)),
        FieldTable::new("ints", 10, Kind::Int32).repeated(),
        FieldTable::new("children", 11, Kind::Message(|| &ALL)).repeated(),
        FieldTable::map("by_name", 12, Kind::String, Kind::Message(|| &ALL)),
        FieldTable::map("by_id", 13, Kind::Int32, Kind::String),
        FieldTable::map("by_flag", 14, Kind::Bool, Kind::Enum(|| &COLOR)),
        FieldTable::new("maybe", 15, Kind::Int32).optional(),
        FieldTable::new("any", 16, Kind::Message(|| wkt::Any::TABLE)),
    ],
);

fn all() -> MessageDescriptor {
    static DESCRIPTOR: OnceLock<MessageDescriptor> = OnceLock::new();
    let make = || DescriptorPool::from_tables(&[&ALL]).unwrap().message("t.All").unwrap();
    DESCRIPTOR.get_or_init(make).clone()
}

fn decode(bytes: &[u8]) -> DynamicMessage {
    DynamicMessage::decode(&all(), bytes).unwrap()
}

const NEW: text::Printer = text::Printer::new();
const PRETTY: text::Printer = NEW.pretty(true);
const UNKNOWN: text::Printer = NEW.skip_unknown_fields(false);

#[test]
fn scalars_and_lists() {
    let mut message = DynamicMessage::new(&all());
    assert_eq!(tablepb::text::to_string(&message).unwrap(), "");
    message.set_field("int", -5).unwrap();
    message.set_field("long", u64::MAX).unwrap();
    message.set_field("flag", true).unwrap();
    message.set_field("single", 0.1f32).unwrap();
    let doubles = [1.0, -0.0, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 1e-7];
    message.set_field("double", doubles.map(tablepb::Value::F64).to_vec()).unwrap();
    message.set_field("maybe", 0).unwrap();
    let field = all().field("color").unwrap();
    message.set_field(&field, tablepb::Value::EnumNumber(-3)).unwrap();
    assert_eq!(
        tablepb::text::to_string(&message).unwrap(),
        "int:-5,long:18446744073709551615,flag:true,single:0.1,double:[1,-0,1.5,nan,inf,-inf,1e300,1e-7],color:BLUE,maybe:0"
    );
    message.set_field(&field, tablepb::Value::EnumNumber(77)).unwrap();
    assert!(message.to_string().contains("color:77,"));
}

#[test]
fn strings_are_escaped() {
    let mut message = DynamicMessage::new(&all());
    message.set_field("text", "a\"'\\\n\r\t\0\x7f\u{1}é\u{1f600}").unwrap();
    message.set_field("data", &b"a\"'\\\n\r\t\0\x7f\xff\xc3\xa9"[..]).unwrap();
    assert_eq!(
        tablepb::text::to_string(&message).unwrap(),
        "text:\"a\\\"'\\\\\\n\\r\\t\\000\\177\\001é\u{1f600}\",data:\"a\\\"'\\\\\\n\\r\\t\\000\\177\\377\\303\\251\""
    );
}

/// Lists, maps and messages in both forms; keys are sorted, and entries have both parts.
#[test]
fn messages_lists_and_maps() {
    let message = decode(
        b"\x5a\x00\x5a\x02\x08\x01\x52\x02\x01\x02\x9a\x01\x05\x9a\x01\x02\x18\x01\
          \x62\x05\x0a\x01b\x12\x00\x62\x07\x0a\x01a\x12\x02\x08\x07\x6a\x03\x12\x01x\x6a\x05\x08\xff\x01\x12\x00\
          \x6a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x72\x02\x08\x01\x72\x02\x10\x01",
    );
    assert_eq!(
        tablepb::text::to_string(&message).unwrap(),
        "ints:[1,2],children:[{},{int:1}],by_name:[{key:\"a\",value{int:7}},{key:\"b\",value{}}],\
         by_id:[{key:-1,value:\"\"},{key:0,value:\"x\"},{key:255,value:\"\"}],\
         by_flag:[{key:false,value:GREEN},{key:true,value:RED}],child{child{flag:true}}"
    );
    assert_eq!(
        PRETTY.to_string(&message).unwrap(),
        "ints: [1, 2]\nchildren: [{}, {\n  int: 1\n}]\n\
         by_name: [{\n  key: \"a\"\n  value {\n    int: 7\n  }\n}, {\n  key: \"b\"\n  value {}\n}]\n\
         by_id: [{\n  key: -1\n  value: \"\"\n}, {\n  key: 0\n  value: \"x\"\n}, {\n  key: 255\n  value: \"\"\n}]\n\
         by_flag: [{\n  key: false\n  value: GREEN\n}, {\n  key: true\n  value: RED\n}]\n\
         child {\n  child {\n    flag: true\n  }\n}"
    );
    assert_eq!(format!("{message:#}"), PRETTY.to_string(&message).unwrap());
    assert_eq!(format!("{:?}", decode(b"\x9a\x01\x00")), "t.All{child{}}");
    assert_eq!(format!("{:#?}", decode(b"\x9a\x01\x02\x08\x01")), "t.All {\n  child {\n    int: 1\n  }\n}");
    assert_eq!(
        (format!("{:?}", decode(b"")), format!("{:#?}", decode(b""))),
        ("t.All{}".into(), "t.All {}".into())
    );
}

#[test]
fn fields_that_are_not_set_and_the_order_of_the_schema() {
    let message = decode(b"\x9a\x01\x00\x08\x01");
    let every = NEW.skip_default_fields(false).to_string(&message).unwrap();
    assert_eq!(
        every,
        "int:1,long:0,flag:false,single:0,double:[],text:\"\",data:\"\",color:RED,ints:[],children:[],by_name:[],by_id:[],\
         by_flag:[],child{int:0,long:0,flag:false,single:0,double:[],text:\"\",data:\"\",color:RED,ints:[],children:[],\
         by_name:[],by_id:[],by_flag:[]}"
    );
    let message = decode(b"\x52\x01\x05\x9a\x01\x02\x08\x02\x08\x01");
    let index = NEW.print_message_fields_in_index_order(true);
    assert_eq!(tablepb::text::to_string(&message).unwrap(), "int:1,ints:[5],child{int:2}");
    assert_eq!(index.to_string(&message).unwrap(), "int:1,child{int:2},ints:[5]");
}

#[test]
fn unknown_fields_are_guessed() {
    let bytes = b"\x08\x01\xf8\x0a\x96\x01\xfd\x0a\x01\x00\x00\x80\xf9\x0a\x01\x00\x00\x00\x00\x00\x00\x80\
        \xfa\x0a\x02\x08\x07\xfa\x0a\x03hey\xfa\x0a\x00\xfb\x0a\x08\x05\x13\x0a\x02\xff\xff\x14\xfc\x0a\xfb\x0a\xfc\x0a\
        \xfa\x0a\x04\x0a\x02\x08\x01";
    let message = decode(bytes);
    assert_eq!(tablepb::text::to_string(&message).unwrap(), "int:1");
    let text = "int:1,175:150,175:0x80000001,175:0x8000000000000001,175{1:7},175:\"hey\",175:\"\",\
        175{1:5,2{1:\"\\377\\377\"}},175{},175{1{1:1}}";
    assert_eq!(UNKNOWN.to_string(&message).unwrap(), text);
    assert_eq!(format!("{message:?}"), format!("t.All{{{text}}}"));
    let nested = decode(b"\x9a\x01\x05\x80\x7d\x01\x08\x02");
    assert_eq!(UNKNOWN.pretty(true).to_string(&nested).unwrap(), "child {\n  int: 2\n  2000: 1\n}");
    let pretty = UNKNOWN
        .pretty(true)
        .to_string(&decode(b"\xfb\x0a\x08\x05\x13\x10\x01\x14\xfc\x0a\xfa\x0a\x00"))
        .unwrap();
    assert_eq!(pretty, "175 {\n  1: 5\n  2 {\n    2: 1\n  }\n}\n175: \"\"");
}

/// Bytes in bytes are taken for messages to a depth of ten, so that the time stays linear.
#[test]
fn guesses_and_groups_are_bounded() {
    let mut bytes = vec![0x08, 0x01];
    for _ in 0..13 {
        bytes = [&[0x0a, bytes.len() as u8][..], &bytes].concat();
    }
    bytes = [&[0xfa, 0x0a, bytes.len() as u8][..], &bytes].concat();
    let text = UNKNOWN.to_string(&decode(&bytes)).unwrap();
    assert_eq!(text.matches('{').count(), 10, "{text}");
    let groups = [vec![0x0b; 99], vec![0x0c; 99]].concat();
    let text = decode(&[&[0xfb, 0x0a][..], &groups, &[0xfc, 0x0a]].concat());
    assert_eq!(UNKNOWN.to_string(&text).unwrap().matches('{').count(), 100);
}

#[test]
fn an_any_is_expanded_if_it_can_be_read_back() {
    let any = |url: &str, value: &[u8]| {
        let mut message = DynamicMessage::new(&all());
        let mut any = message.message_mut(&all().field("any").unwrap()).unwrap();
        any.set_field("type_url", url).unwrap();
        any.set_field("value", value).unwrap();
        message
    };
    let message = any("a.b/c%2f/t.All", b"\x08\x01");
    assert_eq!(tablepb::text::to_string(&message).unwrap(), "any{[a.b/c%2f/t.All]{int:1}}");
    assert_eq!(PRETTY.to_string(&message).unwrap(), "any {\n  [a.b/c%2f/t.All] {\n    int: 1\n  }\n}");
    assert_eq!(
        NEW.expand_any(false).to_string(&message).unwrap(),
        "any{type_url:\"a.b/c%2f/t.All\",value:\"\\010\\001\"}"
    );
    for url in [
        "t.All",
        "/t.All",
        "//t.All",
        "a/t.None",
        "a b/t.All",
        "a%2/t.All",
        "a]/t.All",
        "a/",
        "a/.t.All",
        "é/t.All",
    ] {
        let text = tablepb::text::to_string(&any(url, b"")).unwrap();
        assert_eq!(text, format!("any{{type_url:\"{url}\"}}"));
    }
    // Bytes that are no message.
    assert_eq!(
        tablepb::text::to_string(&any("a/t.All", b"\x08")).unwrap(),
        "any{type_url:\"a/t.All\",value:\"\\010\"}"
    );
    let content = any("a/t.All", &any("b/t.All", b"\x52\x01\x02").encode_to_vec().unwrap());
    assert_eq!(tablepb::text::to_string(&content).unwrap(), "any{[a/t.All]{any{[b/t.All]{ints:[2]}}}}");
}

/// Lazy and prepared messages are decoded; what cannot be is printed by number.
#[test]
fn bytes_that_were_kept() {
    let text = |content: &[u8]| {
        let mut message = DynamicMessage::new(&all());
        let child = DynamicMessage::decode(&all(), b"\x32\x02hi").unwrap();
        message.set_field("child", Prepared::new(&child).unwrap()).unwrap();
        let kept = tablepb::text::to_string(&message).unwrap();
        let bytes = [&[0x9a, 0x01, content.len() as u8][..], content].concat();
        let lazy = Projection::all(&all()).lazy(["child"]).unwrap();
        let mut decoder = Decoder::new(&all()).with_projection(&lazy);
        (kept, tablepb::text::to_string(&decoder.decode(&bytes).unwrap()).unwrap())
    };
    assert_eq!(text(b"\x52\x01\x07"), ("child{text:\"hi\"}".into(), "child{ints:[7]}".into()));
    // A string that is not UTF-8.
    assert_eq!(text(b"\x08\x01\x32\x01\xff").1, "child{1:1,6:\"\\377\"}");
    assert_eq!(text(b"\x08\x01\x32\x05").1, "child{1:1}");
}

/// What is printed by number stands where a message would, at each level.
#[test]
fn bytes_that_are_no_message_are_indented_as_one() {
    let lazy = Projection::all(&all()).lazy(["child.child.child", "children.child"]).unwrap();
    let mut decoder = Decoder::new(&all()).with_projection(&lazy);
    let inside = |number: u32, inner: Wire| Wire::new().message(number, inner);
    // A string that is not UTF-8, and the message whose content it would be.
    let broken = || Wire::new().int(1, 1).bytes(6, b"\xff");
    let bytes = inside(19, inside(19, inside(19, broken()))).0;
    let printed = PRETTY.to_string(&decoder.decode(&bytes).unwrap()).unwrap();
    assert_eq!(printed, "child {\n  child {\n    child {\n      1: 1\n      6: \"\\377\"\n    }\n  }\n}");
    let bytes = inside(11, inside(19, broken()).int(1, 2)).0;
    let printed = PRETTY.to_string(&decoder.decode(&bytes).unwrap()).unwrap();
    assert_eq!(printed, "children: [{\n  int: 2\n  child {\n    1: 1\n    6: \"\\377\"\n  }\n}]");
}

#[test]
fn a_buffer_keeps_what_it_has() {
    let mut buffer = b"# before\n".to_vec();
    PRETTY.append(&mut buffer, &decode(b"\x08\x01")).unwrap();
    assert_eq!(buffer, b"# before\nint: 1");
}
