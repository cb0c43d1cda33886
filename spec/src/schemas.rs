//! JSON Schemas of the objects on the wire.
