//! Enums and services: indices and names for everything in them.

use super::declare::{Around, run_from};
use super::{Builder, PendingMethod, Result};
use crate::schema::pool::model::symbols::Symbol;
use crate::schema::pool::model::{
    EnumData, EnumValueData, IndexRange, JsonValueData, MethodData, NONE, ServiceData,
};
use crate::schema::pool::read::{self, EnumDef, MethodDef, children};
use crate::schema::program::sort_indices;

impl<'i> Builder<'i> {
    pub(super) fn declare_enum(&mut self, around: Around, bytes: &'i [u8]) -> Result<()> {
        let proto = EnumDef::read(bytes)?;
        let name = self.identifier(around, proto.name, "enum")?;
        self.check_options(around, name.full(), &proto.options)?;
        let index = self.data.enums.len() as u32;
        self.symbols.add(around.scope, name.local(), Symbol::Enum(index), &mut self.room)?;
        let values = self.declare_values(around, bytes, index)?;
        let start = self.data.enum_reserved_ranges.len();
        for range in
            children(proto.part(read::enumeration::RESERVED_RANGE), read::enumeration::RESERVED_RANGE)
        {
            self.room.push(&mut self.data.enum_reserved_ranges, read::range(range)?)?;
        }
        let data = EnumData {
            name,
            file: around.file,
            parent: around.parent,
            scope: around.scope,
            values,
            reserved_ranges: run_from(start, &self.data.enum_reserved_ranges),
            reserved_names: self
                .texts(proto.part(read::enumeration::RESERVED_NAME), read::enumeration::RESERVED_NAME)?,
            options: self.options(&proto.options)?,
            closed: around.features.with(proto.options.features).closed_enum,
            allow_alias: proto.options.allow_alias,
            deprecated: proto.options.deprecated,
            visibility: proto.visibility,
        };
        Ok(self.room.push(&mut self.data.enums, data)?)
    }

    fn declare_values(&mut self, around: Around, bytes: &'i [u8], index: u32) -> Result<IndexRange> {
        let start = self.data.values.len();
        for (i, value) in children(bytes, read::enumeration::VALUE).enumerate() {
            let (name, number, options) = read::enum_value(value)?;
            let name = self.identifier(around, name, "enum value")?;
            self.check_options(around, name.full(), &options)?;
            let symbol = Symbol::EnumValue { enumeration: index, value: i as u32 };
            self.symbols.add(around.scope, name.local(), symbol, &mut self.room)?;
            if let Some(json) = options.json_value {
                let name = self.data.names.push(json, &mut self.room)?;
                let data = JsonValueData { enumeration: index, value: i as u32, name };
                self.room.push(&mut self.data.json_values, data)?;
            }
            let deprecated = options.deprecated;
            let data = EnumValueData { name, number, options: self.options(&options)?, deprecated };
            self.room.push(&mut self.data.values, data)?;
        }
        let run = run_from(start, &self.data.values);
        let values = run.of(&self.data.values);
        for i in 0..values.len() as u32 {
            self.room.push(&mut self.data.by_number, i)?;
        }
        let by_number = self.data.by_number.get_mut(start..).unwrap_or_default();
        let number = |i: u32| (values.get(i as usize).map(|v| v.number), i);
        sort_indices(by_number, &mut |a, b| number(a).cmp(&number(b)));
        Ok(run)
    }

    pub(super) fn declare_service(&mut self, around: Around, bytes: &'i [u8]) -> Result<()> {
        let (name, options) = read::service(bytes)?;
        let name = self.identifier(around, name, "service")?;
        self.check_options(around, name.full(), &options)?;
        let index = self.data.services.len() as u32;
        let symbol = Symbol::Service(index);
        let scope = self.symbols.add_scope(around.scope, name.local(), symbol, &mut self.room)?;
        let inner = Around { scope, name: name.full(), ..around };
        let start = self.data.methods.len();
        for (i, method) in children(bytes, read::METHOD).enumerate() {
            self.declare_method(inner, index, i as u32, method)?;
        }
        let methods = run_from(start, &self.data.methods);
        let deprecated = options.deprecated;
        let options = self.options(&options)?;
        let data = ServiceData { name, file: around.file, scope, methods, options, deprecated };
        Ok(self.room.push(&mut self.data.services, data)?)
    }

    fn declare_method(&mut self, inner: Around, service: u32, at: u32, bytes: &'i [u8]) -> Result<()> {
        let proto = MethodDef::read(bytes)?;
        let name = self.identifier(inner, proto.name, "method")?;
        self.check_options(inner, name.full(), &proto.options)?;
        let symbol = Symbol::Method { service, method: at };
        self.symbols.add(inner.scope, name.local(), symbol, &mut self.room)?;
        let data = MethodData {
            name,
            input: NONE,
            output: NONE,
            client_streaming: proto.client_streaming,
            server_streaming: proto.server_streaming,
            options: self.options(&proto.options)?,
            deprecated: proto.options.deprecated,
        };
        self.room.push(&mut self.data.methods, data)?;
        let MethodDef { input, output, .. } = proto;
        Ok(self.room.push(&mut self.methods, PendingMethod { service, method: at, input, output })?)
    }
}
