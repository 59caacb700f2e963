//! Names of the objects of a finding and of the rows of its trace.

use super::moments::{AtFirstUse, Moments};
use super::paths::{Files, Named, Paths};
use super::values::Written;
use super::{is_description, is_open, Namer};
use dpor_report::image::{Image, Moment};
use dpor_report::Object;

/// Names of addresses in one execution.
pub struct Names<'n, 'a> {
    namer: &'n mut Namer<'a>,
    files: &'n Files,
    /// The ways through memory at the end, if it is known what it held.
    paths: Option<Paths<'n>>,
    /// Those at the first uses of objects.
    moments: Moments<'n>,
    /// The addresses that were named, of objects that were there at the end.
    pub named: Vec<(u64, String)>,
}

impl<'n, 'a> Names<'n, 'a> {
    /// Names by what memory held at the end of the execution, if that is known, and by the debug information of these
    /// files.
    pub fn new(
        namer: &'n mut Namer<'a>,
        files: &'n Files,
        image: Option<&'n Image>,
    ) -> Names<'n, 'a> {
        Names {
            namer,
            files,
            paths: image.map(|image| Paths::new(files, image)),
            moments: Moments::default(),
            named: Vec::new(),
        }
    }

    /// Names rows also by what memory held at these moments.
    pub fn remember(&mut self, moments: &'n [Moment]) {
        self.moments = Moments::new(self.files, moments);
    }
}

impl<'n> Names<'n, '_> {
    /// Names an object. What the runtime had called it, if that was a description.
    pub fn object(&mut self, object: &mut Object) -> Option<String> {
        let is_described = is_description(&object.name);
        if !is_open(&object.name) && !is_described {
            return None;
        }
        let named = match is_described {
            true => None,
            false => self.namer.find(object.address, object.size),
        };
        let way = match (&named, &self.paths) {
            (None, Some(paths)) => paths.find(object.address, object.size),
            _ => None,
        };
        if let Some(way) = &way {
            object.block_of.clone_from(&way.block_of);
        }
        let Some(found) = named.or(way.map(|way| way.found)) else {
            if is_open(&object.name) {
                object.name = self.nameless(object.address);
            }
            return None;
        };
        self.named.push((object.address, found.name.clone()));
        let described = std::mem::replace(&mut object.name, found.name);
        if object.size == 0 {
            object.size = found.size;
        }
        if object.file.is_none() && !found.file.is_empty() {
            object.file = Some(found.file);
            object.line = found.line;
        }
        is_described.then_some(described)
    }

    /// Names an address, and says the value there as the source would write it; in the row of the step with this index, or
    /// at the end.
    pub fn address(
        &mut self,
        name: &mut String,
        address: u64,
        value: Option<u64>,
        step: Option<u64>,
    ) -> Option<String> {
        if address == 0 || !is_open(name) && !is_description(name) {
            return None;
        }
        let found = match is_description(name) {
            true => None,
            false => self.namer.find(address, 0),
        };
        if let Some(found) = found {
            let written = value.and_then(|value| self.namer.value(address, &found, value));
            let text = self.text(written, value);
            self.named.push((address, found.name.clone()));
            *name = found.name;
            return text;
        }
        let moment = step.and_then(|step| self.moments.of(address, step));
        let Some((way, paths)) = self.way(address, 0, moment) else {
            if is_open(name) {
                *name = self.nameless(address);
            }
            return None;
        };
        let written = value.and_then(|value| paths.value(&way, value));
        let is_over = moment.is_some_and(|moment| moment.is_over);
        let text = self.text(written, value);
        if !is_over {
            self.named.push((address, way.found.name.clone()));
        }
        *name = way.found.name;
        text
    }

    /// What to call something that has no name.
    fn nameless(&self, address: u64) -> String {
        let in_file = self.namer.in_file(address);
        in_file.unwrap_or_else(|| format!("{address:#x}"))
    }

    /// What is at an address: at the end, if what was used at that moment is still there; else at the moment.
    fn way<'s>(
        &'s self,
        address: u64,
        bytes: u64,
        moment: Option<&'s AtFirstUse<'n>>,
    ) -> Option<(Named, &'s Paths<'n>)> {
        let at_end = self.paths.as_ref();
        let at_end = at_end.filter(|_| moment.is_none_or(|moment| !moment.is_over));
        let at_end = at_end.and_then(|paths| Some((paths.find(address, bytes)?, paths)));
        at_end.or_else(|| {
            let paths = moment?.paths();
            Some((paths.find(address, bytes)?, paths))
        })
    }

    /// A value as the source would write it: of an address, the name of the variable there.
    fn text(&mut self, written: Option<Written>, value: Option<u64>) -> Option<String> {
        let (address, bytes) = match written? {
            Written::Text(text) => return Some(text),
            Written::Address(bytes) => (value?, bytes),
        };
        let found = self.namer.find(address, bytes);
        let way = || Some(self.paths.as_ref()?.find(address, bytes)?.found);
        let name = found.or_else(way).map(|found| found.name);
        // What only other pointers lead to has another name at another time.
        let lasting = name.filter(|name| !name.contains(['>', '*', '…']));
        Some(lasting.map_or(format!("{address:#x}"), |name| format!("&{name}")))
    }
}
