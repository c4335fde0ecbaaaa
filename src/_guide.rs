//! The guide: which way to work fits your program, and how it is done.
//!
//! These pages are only documentation; there is nothing to import. Read [which way](which_way) first, then the page for your way. Every example
//! on them is compiled and run by the tests.
//!
//! | page | |
//! |---|---|
//! | [which way](which_way) | a table: what you have, what to use |
//! | [schemas] | tables, descriptor sets, `.proto` sources, what a pool can do |
//! | [structs] | `message!` and `enumeration!` |
//! | [dynamic messages](dynamic_messages) | reading, changing, building, visiting |
//! | [partial work](partial_work) | projections, lazy and prepared parts, fields without a schema |
//! | [records] | rows written while you parse |
//! | [JSON and text](json_and_text) | both formats, and serde |
//! | [streams] | files, sockets, gRPC, Kafka |
//! | [errors] | which call fails how, and what an error tells |
//! | [limits] | hostile input, and what holds after an error |
//! | [performance] | what is fast, what is not, how to measure |
//! | [`no_std`] | programs without an operating system |
//! | [cookbook] | thirteen programs of at most 60 lines |
//! | [from prost](from_prost) | side by side, and how to move |
//! | [from prost-reflect](from_prost_reflect) | method by method |
//! | [beside others](from_others) | buffa, Google's crate, quick-protobuf, hyperpb |
//! | [questions](faq) | |

/// Declares pages: modules whose documentation is a file of `docs/guide`.
macro_rules! pages {
    ($($name:ident $file:literal)*) => {$(
        pub mod $name {
            #![doc = include_str!(concat!("../docs/", $file))]
        }
    )*};
}

pages! {
    which_way "guide/which_way.md"
    schemas "guide/schemas.md"
    structs "guide/structs.md"
    dynamic_messages "guide/dynamic_messages.md"
    partial_work "guide/partial_work.md"
    records "guide/records.md"
    json_and_text "guide/json_and_text.md"
    streams "guide/streams.md"
    errors "guide/errors.md"
    limits "guide/limits.md"
    performance "guide/performance.md"
    no_std "guide/no_std.md"
    cookbook "guide/cookbook.md"
    from_prost "guide/from_prost.md"
    from_prost_reflect "prost-reflect.md"
    from_others "guide/from_others.md"
    faq "guide/faq.md"
}
