//! One schema with everything that tablepb and prost both have, for both of them.
//!
//! Left out, because they are known to differ in what they mean, not in what they accept: closed enums (prost has
//! none), and `float` and `double` without presence (prost takes -0.0 for 0.0).

use std::collections::BTreeMap;
use tablepb::UnknownFieldSet;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rich {
    pub flag: bool,
    pub int32: i32,
    pub sint32: i32,
    pub uint32: u32,
    pub int64: i64,
    pub sint64: i64,
    pub uint64: u64,
    pub fixed32: u32,
    pub fixed64: u64,
    pub sfixed32: i32,
    pub sfixed64: i64,
    pub text: String,
    pub data: Vec<u8>,
    pub color: i32,
    pub opt_flag: Option<bool>,
    pub opt_int: Option<i64>,
    pub opt_float: Option<f32>,
    pub opt_double: Option<f64>,
    pub opt_text: Option<String>,
    pub opt_data: Option<Vec<u8>>,
    pub flags: Vec<bool>,
    pub ints: Vec<i32>,
    pub sints: Vec<i64>,
    pub fixeds: Vec<u32>,
    pub doubles: Vec<f64>,
    pub colors: Vec<i32>,
    pub unpacked: Vec<u64>,
    pub texts: Vec<String>,
    pub datas: Vec<Vec<u8>>,
    pub child: Option<Box<Rich>>,
    pub children: Vec<Rich>,
    pub point: Option<Point>,
    pub points: Vec<Point>,
    pub group: Option<Point>,
    pub groups: Vec<Rich>,
    pub choice: Option<Choice>,
    pub words: BTreeMap<String, String>,
    pub counts: BTreeMap<i32, i64>,
    pub blobs: BTreeMap<bool, Vec<u8>>,
    pub parts: BTreeMap<String, Rich>,
    pub kinds: BTreeMap<u64, i32>,
    pub far: u32,
    pub farthest: String,
    pub unknown: UnknownFieldSet,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
    pub unknown: UnknownFieldSet,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    Number(i64),
    Name(String),
    Inner(Box<Rich>),
    Place(Point),
    Yes(bool),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Color {
    Red = 0,
    Green = 1,
    Blue = -2,
}

tablepb::enumeration! {
    Color as "agree.Color" { Red as "RED" = 0, Green as "GREEN" = 1, Blue as "BLUE" = -2 }
}

tablepb::message! {
    Rich as "agree.Rich" {
        flag: bool = 1,
        int32: int32 = 2,
        sint32: sint32 = 3,
        uint32: uint32 = 4,
        int64: int64 = 5,
        sint64: sint64 = 6,
        uint64: uint64 = 7,
        fixed32: fixed32 = 8,
        fixed64: fixed64 = 9,
        sfixed32: sfixed32 = 10,
        sfixed64: sfixed64 = 11,
        text: string = 12,
        data: bytes = 13,
        color: enum Color = 14,
        opt_flag: optional bool = 21,
        opt_int: optional sint64 = 22,
        opt_float: optional float = 23,
        opt_double: optional double = 24,
        opt_text: optional string = 25,
        opt_data: optional bytes = 26,
        flags: repeated bool = 31,
        ints: repeated int32 = 32,
        sints: repeated sint64 = 33,
        fixeds: repeated fixed32 = 34,
        doubles: repeated double = 35,
        colors: repeated enum Color = 36,
        unpacked: repeated uint64 = 37 [packed = false],
        texts: repeated string = 38,
        datas: repeated bytes = 39,
        child: message Rich = 41,
        children: repeated message Rich = 42,
        point: message Point = 43,
        points: repeated message Point = 44,
        group: group Point = 45,
        groups: repeated group Rich = 46,
        choice: oneof Choice {
            Number as "number": int64 = 51,
            Name as "name": string = 52,
            Inner as "inner": message Rich = 53,
            Place as "place": group Point = 54,
            Yes as "yes": bool = 55,
        },
        words: map<string, string> = 61,
        counts: map<int32, sint64> = 62,
        blobs: map<bool, bytes> = 63,
        parts: map<string, message Rich> = 64,
        kinds: map<fixed64, enum Color> = 65,
        far: uint32 = 2000,
        farthest: string = 536870911,
        unknown: unknown_fields,
    }
    Point as "agree.Point" {
        x: sint32 = 1,
        y: sint32 = 2,
        unknown: unknown_fields,
    }
}

/// What prost's generator would make of the schema.
pub mod generated {
    use std::collections::BTreeMap;

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Rich {
        #[prost(bool, tag = "1")]
        pub flag: bool,
        #[prost(int32, tag = "2")]
        pub int32: i32,
        #[prost(sint32, tag = "3")]
        pub sint32: i32,
        #[prost(uint32, tag = "4")]
        pub uint32: u32,
        #[prost(int64, tag = "5")]
        pub int64: i64,
        #[prost(sint64, tag = "6")]
        pub sint64: i64,
        #[prost(uint64, tag = "7")]
        pub uint64: u64,
        #[prost(fixed32, tag = "8")]
        pub fixed32: u32,
        #[prost(fixed64, tag = "9")]
        pub fixed64: u64,
        #[prost(sfixed32, tag = "10")]
        pub sfixed32: i32,
        #[prost(sfixed64, tag = "11")]
        pub sfixed64: i64,
        #[prost(string, tag = "12")]
        pub text: String,
        #[prost(bytes = "vec", tag = "13")]
        pub data: Vec<u8>,
        #[prost(int32, tag = "14")]
        pub color: i32,
        #[prost(bool, optional, tag = "21")]
        pub opt_flag: Option<bool>,
        #[prost(sint64, optional, tag = "22")]
        pub opt_int: Option<i64>,
        #[prost(float, optional, tag = "23")]
        pub opt_float: Option<f32>,
        #[prost(double, optional, tag = "24")]
        pub opt_double: Option<f64>,
        #[prost(string, optional, tag = "25")]
        pub opt_text: Option<String>,
        #[prost(bytes = "vec", optional, tag = "26")]
        pub opt_data: Option<Vec<u8>>,
        #[prost(bool, repeated, tag = "31")]
        pub flags: Vec<bool>,
        #[prost(int32, repeated, tag = "32")]
        pub ints: Vec<i32>,
        #[prost(sint64, repeated, tag = "33")]
        pub sints: Vec<i64>,
        #[prost(fixed32, repeated, tag = "34")]
        pub fixeds: Vec<u32>,
        #[prost(double, repeated, tag = "35")]
        pub doubles: Vec<f64>,
        #[prost(int32, repeated, tag = "36")]
        pub colors: Vec<i32>,
        #[prost(uint64, repeated, packed = "false", tag = "37")]
        pub unpacked: Vec<u64>,
        #[prost(string, repeated, tag = "38")]
        pub texts: Vec<String>,
        #[prost(bytes = "vec", repeated, tag = "39")]
        pub datas: Vec<Vec<u8>>,
        #[prost(message, optional, boxed, tag = "41")]
        pub child: Option<Box<Rich>>,
        #[prost(message, repeated, tag = "42")]
        pub children: Vec<Rich>,
        #[prost(message, optional, tag = "43")]
        pub point: Option<Point>,
        #[prost(message, repeated, tag = "44")]
        pub points: Vec<Point>,
        #[prost(group, optional, tag = "45")]
        pub group: Option<Point>,
        #[prost(group, repeated, tag = "46")]
        pub groups: Vec<Rich>,
        #[prost(oneof = "Choice", tags = "51, 52, 53, 54, 55")]
        pub choice: Option<Choice>,
        #[prost(btree_map = "string, string", tag = "61")]
        pub words: BTreeMap<String, String>,
        #[prost(btree_map = "int32, sint64", tag = "62")]
        pub counts: BTreeMap<i32, i64>,
        #[prost(btree_map = "bool, bytes", tag = "63")]
        pub blobs: BTreeMap<bool, Vec<u8>>,
        #[prost(btree_map = "string, message", tag = "64")]
        pub parts: BTreeMap<String, Rich>,
        #[prost(btree_map = "fixed64, int32", tag = "65")]
        pub kinds: BTreeMap<u64, i32>,
        #[prost(uint32, tag = "2000")]
        pub far: u32,
        #[prost(string, tag = "536870911")]
        pub farthest: String,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Point {
        #[prost(sint32, tag = "1")]
        pub x: i32,
        #[prost(sint32, tag = "2")]
        pub y: i32,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    pub enum Choice {
        #[prost(int64, tag = "51")]
        Number(i64),
        #[prost(string, tag = "52")]
        Name(String),
        #[prost(message, tag = "53")]
        Inner(Box<Rich>),
        #[prost(group, tag = "54")]
        Place(Point),
        #[prost(bool, tag = "55")]
        Yes(bool),
    }
}
