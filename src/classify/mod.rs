//! CLASSIFY: names what a response is and what a body is; pure.

pub mod address;
pub mod body;
pub mod response;
pub mod study;
pub mod template;

/// Declares an enumeration whose values are words in a table: each value, its word and its sentence stand once.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident => $word:literal, $about:literal;)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $(#[doc = $about] $variant,)* }

        impl $name {
            /// Every value, in order.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The word that tables carry.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// One sentence on what it means.
            pub const fn about(self) -> &'static str {
                match self { $($name::$variant => $about,)* }
            }
        }
    };
}
pub(crate) use words;
