//! What can be put under test: the built-in simulator, or an address, with the model that the suite hosts for it
