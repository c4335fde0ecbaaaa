//! Services and their methods.

use super::definitions::span;
use super::{Parsed, Parser};
use crate::compile::parse::ast::{Method, Service};

impl<'s> Parser<'s, '_> {
    pub(super) fn service_definition(&mut self) -> Parsed {
        self.take();
        let name = self.identifier("the name of the service")?;
        self.symbol(b'{')?;
        let service = Service { name: span(name), at: name.start, file: self.file, ..Service::default() };
        let Some(file) = self.ast.files.get(self.file as usize) else { return Ok(()) };
        let mut chain = file.services;
        let index = self.ast.services.push(self.room, &mut chain, service)?;
        if let Some(file) = self.ast.files.get_mut(self.file as usize) {
            file.services = chain;
        }
        while !self.try_symbol(b'}') {
            if self.at_end() {
                return Err(self.expected(&"\"}\""));
            }
            let start = self.token.start;
            let parsed = self.service_statement(index);
            self.go_on(start, parsed)?;
        }
        Ok(())
    }

    fn service_statement(&mut self, index: u32) -> Parsed {
        if self.try_symbol(b';') {
            return Ok(());
        }
        let Some(service) = self.ast.services.get(index) else { return Ok(()) };
        let (mut chain, mut methods) = (service.options, service.methods);
        if self.is_word("option") {
            let parsed = self.option_statement(&mut chain);
            if let Some(service) = self.ast.services.get_mut(index) {
                service.options = chain;
            }
            return parsed.map(drop);
        }
        let method = self.method(index)?;
        self.ast.methods.push(self.room, &mut methods, method)?;
        if let Some(service) = self.ast.services.get_mut(index) {
            service.methods = methods;
        }
        Ok(())
    }

    fn method(&mut self, service: u32) -> Parsed<Method> {
        self.word("rpc")?;
        let name = self.identifier("the name of the method")?;
        let mut method = Method { name: span(name), at: name.start, service, ..Method::default() };
        self.symbol(b'(')?;
        method.client_streaming = self.try_word("stream");
        let (input, token) = self.message_type()?;
        (method.input, method.input_at) = (input, token.start);
        self.symbol(b')')?;
        self.word("returns")?;
        self.symbol(b'(')?;
        method.server_streaming = self.try_word("stream");
        let (output, token) = self.message_type()?;
        (method.output, method.output_at) = (output, token.start);
        self.symbol(b')')?;
        if !self.try_symbol(b'{') {
            self.end_of_statement()?;
            return Ok(method);
        }
        method.braces = true;
        while !self.try_symbol(b'}') {
            if self.at_end() {
                return Err(self.expected(&"\"}\""));
            }
            if self.try_symbol(b';') {
                continue;
            }
            let start = self.token.start;
            let parsed = self.option_statement(&mut method.options).map(drop);
            self.go_on(start, parsed)?;
        }
        Ok(method)
    }
}
