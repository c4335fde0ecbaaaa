//! tablepb with a run-time schema.

use super::{Contender, EDITED, EDITED_NUMBER, Label, Mode, Setup, from_bytes, to_bytes};
use crate::reading::{Handles, Read, ReadByHandle, Sum};
use std::hint::black_box;
use std::rc::Rc;
use tablepb::{
    Decoder, DynamicMessage, FieldDescriptor, MessageDescriptor, MessageMut, MessageView, ValueRef,
};

/// Contenders of a message type, which prost's struct stands for.
pub fn all<M: ReadByHandle + 'static>(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    let mut all = plain(mode, setup);
    all.extend(match mode {
        Mode::Decode => Vec::new(),
        Mode::Read => read::<M>(setup),
        Mode::Encode => encode(setup),
        Mode::Edit => edit(setup),
    });
    all
}

fn decode(setup: &Setup) -> Vec<Box<dyn Contender>> {
    let descriptor = &setup.descriptor;
    vec![
        from_bytes(
            "tablepb Decoder",
            Label::Reused,
            Decoder::new(descriptor),
            |decoder, bytes| {
                black_box(&decoder.decode(bytes).expect("valid"));
                0
            },
            reencode_view,
        ),
        from_bytes(
            "tablepb Dynamic",
            Label::Fresh,
            descriptor.clone(),
            |descriptor, bytes| {
                black_box(&fresh(descriptor, bytes));
                0
            },
            reencode_fresh,
        ),
    ]
}

fn read<M: ReadByHandle + 'static>(setup: &Setup) -> Vec<Box<dyn Contender>> {
    let descriptor = &setup.descriptor;
    let handles = || setup.handles.clone();
    vec![
        from_bytes(
            "tablepb iterate",
            Label::Reused,
            Decoder::new(descriptor),
            |decoder, bytes| by_iteration(decoder.decode(bytes).expect("valid")),
            reencode_view,
        ),
        from_bytes(
            "tablepb handles",
            Label::Reused,
            (Decoder::new(descriptor), handles()),
            |(decoder, handles), bytes| by_handle::<M>(decoder.decode(bytes).expect("valid"), handles),
            |(decoder, _), bytes| reencode_view(decoder, bytes),
        ),
        from_bytes(
            "tablepb fresh iterate",
            Label::Fresh,
            descriptor.clone(),
            |descriptor, bytes| by_iteration(fresh(descriptor, bytes).as_view()),
            reencode_fresh,
        ),
        from_bytes(
            "tablepb fresh handles",
            Label::Fresh,
            (descriptor.clone(), handles()),
            |(descriptor, handles), bytes| by_handle::<M>(fresh(descriptor, bytes).as_view(), handles),
            |(descriptor, _), bytes| reencode_fresh(descriptor, bytes),
        ),
    ]
}

/// Decoded, and encoded as built by setters.
pub fn plain(mode: Mode, setup: &Setup) -> Vec<Box<dyn Contender>> {
    match mode {
        Mode::Decode => decode(setup),
        Mode::Encode => vec![setters(setup)],
        Mode::Read | Mode::Edit => Vec::new(),
    }
}

fn setters(setup: &Setup) -> Box<dyn Contender> {
    let descriptor = setup.descriptor.clone();
    let set = |bytes: &[u8]| {
        let mut built = DynamicMessage::new(&descriptor);
        build(fresh(&descriptor, bytes).as_view(), &mut built.as_mut());
        built
    };
    to_bytes("tablepb setters", Label::Fresh, setup, set, |message, buffer: &mut Vec<u8>| {
        message.encode(buffer).expect("valid");
    })
}

/// Encoded as edited, and as viewed.
fn encode(setup: &Setup) -> Vec<Box<dyn Contender>> {
    let descriptor = setup.descriptor.clone();
    let path = edit_path(setup);
    let edited = |bytes: &[u8]| {
        let mut message = fresh(&descriptor, bytes);
        apply(&mut message, &path);
        message
    };
    vec![
        to_bytes("tablepb edited", Label::Fresh, setup, edited, |message, buffer: &mut Vec<u8>| {
            message.encode(buffer).expect("valid");
        }),
        to_bytes(
            "tablepb view",
            Label::Borrowed,
            setup,
            |bytes| fresh(&descriptor, bytes),
            |message, buffer: &mut Vec<u8>| {
                message.as_view().encode(buffer).expect("valid");
            },
        ),
    ]
}

fn edit(setup: &Setup) -> Vec<Box<dyn Contender>> {
    type Edit = (DynamicMessage, Vec<FieldDescriptor>, Vec<u8>);
    let finish = |message: &DynamicMessage, buffer: &mut Vec<u8>| {
        buffer.clear();
        message.encode(buffer).expect("valid");
        black_box(&buffer);
        0
    };
    let again = move |(message, path, buffer): &mut Edit, bytes: &[u8]| {
        message.clear();
        message.merge(bytes).expect("valid");
        apply(message, path);
        finish(message, buffer)
    };
    let fresh = move |(empty, path, buffer): &mut Edit, bytes: &[u8]| {
        let mut message = fresh(empty.descriptor(), bytes);
        apply(&mut message, path);
        finish(&message, buffer)
    };
    let state = || (DynamicMessage::new(&setup.descriptor), edit_path(setup), Vec::new());
    vec![
        from_bytes("tablepb Dynamic", Label::Fresh, state(), fresh, move |state, bytes| {
            fresh(state, bytes);
            state.2.clone()
        }),
        from_bytes("tablepb merge", Label::Reused, state(), again, move |state, bytes| {
            again(state, bytes);
            state.2.clone()
        }),
    ]
}

fn fresh(descriptor: &MessageDescriptor, bytes: &[u8]) -> DynamicMessage {
    DynamicMessage::decode(descriptor, bytes).expect("valid")
}

fn reencode_fresh(descriptor: &mut MessageDescriptor, bytes: &[u8]) -> Vec<u8> {
    fresh(descriptor, bytes).encode_to_vec().expect("valid")
}

fn reencode_view(decoder: &mut Decoder, bytes: &[u8]) -> Vec<u8> {
    decoder.decode(bytes).expect("valid").encode_to_vec().expect("valid")
}

fn by_iteration(view: MessageView) -> u64 {
    let mut sum = Sum::default();
    black_box(view).read(&mut sum);
    sum.get()
}

fn by_handle<M: ReadByHandle>(view: MessageView, handles: &Rc<Handles>) -> u64 {
    let mut sum = Sum::default();
    M::read_view(black_box(view), handles, &mut sum);
    sum.get()
}

/// Makes a message like another one, by setters only.
fn build(from: MessageView, to: &mut MessageMut) {
    for (field, value) in from.fields() {
        let field = field.to_owned();
        match value {
            ValueRef::Message(message) => build(message, &mut to.message_mut(&field).expect("a message")),
            ValueRef::List(list) => {
                for value in list.iter() {
                    match value {
                        ValueRef::Message(message) => {
                            build(message, &mut to.push_message(&field).expect("a list"));
                        }
                        value => to.push(&field, value.to_owned()).expect("a list"),
                    }
                }
            }
            ValueRef::Map(map) => {
                for (key, value) in map.iter() {
                    match value {
                        ValueRef::Message(message) => {
                            build(message, &mut to.entry_mut(&field, key.to_owned()).expect("a map"));
                        }
                        value => to.insert(&field, key.to_owned(), value.to_owned()).expect("a map"),
                    }
                }
            }
            value => to.set_field(&field, value.to_owned()).expect("of the same kind"),
        }
    }
}

/// The fields on the way to the one that editing sets, and that.
fn edit_path(setup: &Setup) -> Vec<FieldDescriptor> {
    let mut message = setup.descriptor.clone();
    let mut path = Vec::new();
    for number in setup.edit {
        let field = message.get_field(*number).expect("in the descriptor set");
        if let tablepb::table::Kind::Message(inner) = field.kind() {
            message = inner;
        }
        path.push(field);
    }
    path
}

fn apply(message: &mut DynamicMessage, path: &[FieldDescriptor]) {
    fn set(mut message: MessageMut, path: &[FieldDescriptor]) {
        match path {
            [field] => match field.kind() {
                tablepb::table::Kind::String => message.set_field(field, EDITED).expect("a string"),
                tablepb::table::Kind::Uint32 => message.set_field(field, EDITED_NUMBER).expect("a uint32"),
                kind => panic!("edits no {kind:?}"),
            },
            [field, rest @ ..] => set(message.element_mut(field, 0).expect("an element"), rest),
            [] => {}
        }
    }
    set(message.as_mut(), path);
}
