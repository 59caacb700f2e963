//! Events as the steps of a report.

use super::object;
use super::sites::place;
use dpor_explorer::program::{Kind, Operation, NO_OBJECT, NO_WAITER};
use dpor_explorer::Trace;
use dpor_report::Step;

/// The first `depth` events, and the beginnings and joins of threads between them.
pub(super) fn steps(trace: &Trace, depth: usize) -> Vec<Step> {
    let passive = |events| {
        let steps = trace.passive_steps(events);
        steps.map(|(thread, operation)| Step {
            thread: u32::from(thread.0),
            operation: name(operation).to_owned(),
            object: object_text(operation),
            value: None,
            place: place(operation.site),
            address: object_address(operation).unwrap_or(0),
        })
    };
    let events = (0..depth).flat_map(|k| std::iter::once(step(trace, k)).chain(passive(k + 1)));
    passive(0).chain(events).collect()
}

/// The positions of the events among [`steps`].
pub(super) fn decisions(trace: &Trace, depth: usize) -> Vec<u64> {
    let mut passive = 0;
    let place = |event| {
        passive += trace.passive_steps(event).count();
        (event + passive) as u64
    };
    (0..depth).map(place).collect()
}

/// The positions of those [`steps`] that come to run although the thread before could have gone on.
pub(super) fn preemptions_at(trace: &Trace, depth: usize) -> Vec<u64> {
    let events = trace.events().iter().zip(decisions(trace, depth));
    let preemptive = events.filter(|(event, _)| event.preemptive);
    preemptive.map(|(_, number)| number).collect()
}

fn step(trace: &Trace, position: usize) -> Step {
    let event = trace.event(position);
    let operation = trace.operation(position);
    let value = match operation.kind {
        Kind::Choose | Kind::Early | Kind::CondSignal
            if event.decision.alternative != NO_WAITER =>
        {
            Some(u64::from(event.decision.alternative))
        }
        Kind::Load
        | Kind::Store
        | Kind::ReadModifyWrite
        | Kind::CompareExchange
        | Kind::FutexWait => value(trace, position, operation),
        _ => None,
    };
    Step {
        thread: u32::from(event.thread.0),
        operation: name(operation).to_owned(),
        object: object_text(operation),
        value,
        place: place(operation.site),
        address: object_address(operation).unwrap_or(0),
    }
}

/// The address that an operation is about. For an access to memory it is that of its first byte, which may lie inside
/// its object.
fn object_address(operation: &Operation) -> Option<u64> {
    let address = object::address(operation.object)?;
    let is_futex = matches!(operation.kind, Kind::FutexRequeue | Kind::FutexWakeOp);
    Some(if operation.bytes == 0 || is_futex {
        address
    } else {
        address & !7 | u64::from(operation.offset)
    })
}

/// The value of a memory event (after it), if it lies in one cell.
fn value(trace: &Trace, position: usize, operation: &Operation) -> Option<u64> {
    let bits = operation.bytes * 8;
    if u32::from(operation.offset) * 8 + bits > 64 {
        return None;
    }
    let (_, after) = trace.values(position, operation.object)?;
    let shifted = after >> (operation.offset * 8);
    Some(if bits == 64 {
        shifted
    } else {
        shifted & ((1 << bits) - 1)
    })
}

fn object_text(operation: &Operation) -> String {
    match operation.kind {
        Kind::Create | Kind::Join => format!("T{}", operation.argument),
        _ if operation.object == NO_OBJECT => String::new(),
        _ => match object_address(operation) {
            Some(address) => format!("{address:#x}"),
            None => object::words(operation.object),
        },
    }
}

/// The word for an operation in reports.
pub(super) fn name(operation: &Operation) -> &'static str {
    let writes = matches!(operation.kind, Kind::SharedWrite | Kind::SemPost);
    if let Some(word) = object::event(operation.object, writes) {
        return match operation.kind {
            Kind::SemWait if object::thread_of_end(operation.object).is_some() => "thread-join",
            _ => word,
        };
    }
    match operation.kind {
        Kind::Start => "thread-start",
        Kind::Load => "atomic-load",
        Kind::Store => "atomic-store",
        Kind::ReadModifyWrite => "atomic-rmw",
        Kind::CompareExchange => "compare-exchange",
        Kind::MutexInit => "mutex-init",
        Kind::MutexDestroy => "mutex-destroy",
        Kind::MutexLock => "lock",
        Kind::MutexLockAll => "lock-all",
        Kind::MutexTrylock => "trylock",
        Kind::MutexUnlock => "unlock",
        Kind::CondInit => "cond-init",
        Kind::CondDestroy => "cond-destroy",
        Kind::CondEnqueue => "cond-wait",
        Kind::CondReacquire => "cond-wake",
        Kind::CondSignal => "cond-signal",
        Kind::CondBroadcast => "cond-broadcast",
        Kind::FutexWait => "futex-wait",
        Kind::FutexWoken => "futex-woken",
        Kind::FutexWake => "futex-wake",
        Kind::FutexRequeue => "futex-requeue",
        Kind::FutexRetract => "futex-wait-over",
        Kind::FutexWakeOp => "futex-wake-op",
        Kind::Create => "thread-create",
        Kind::Join => "thread-join",
        Kind::MainReturn if operation.argument == crate::exit::CALL => "exit-call",
        Kind::MainReturn => "main-return",
        Kind::JoinAll => "join-all",
        Kind::ProcessEnd => "process-end",
        Kind::Choose => "choose",
        Kind::Early => "early-timeout",
        Kind::SharedRead => "libc-read",
        Kind::SharedWrite => "libc-write",
        Kind::Opaque => "opaque",
        Kind::Exit => "exit",
        Kind::Pause => "yield",
        Kind::MutexAbandon => "mutex-abandon",
        Kind::MutexConsistent => "mutex-consistent",
        Kind::RwlockRead => "read-lock",
        Kind::RwlockAnnounce => "write-wait",
        Kind::RwlockRetract => "write-wait-over",
        Kind::RwlockWrite => "write-lock",
        Kind::RwlockTryread => "read-trylock",
        Kind::RwlockTrywrite => "write-trylock",
        Kind::RwlockUnlock => "rwlock-unlock",
        Kind::RwlockInit => "rwlock-init",
        Kind::RwlockDestroy => "rwlock-destroy",
        Kind::SemInit => "sem-init",
        Kind::SemDestroy => "sem-destroy",
        Kind::SemWait => "sem-wait",
        Kind::SemTrywait => "sem-trywait",
        Kind::SemPost => "sem-post",
        Kind::SemGetvalue => "sem-getvalue",
        Kind::BarrierInit => "barrier-init",
        Kind::BarrierDestroy => "barrier-destroy",
        Kind::BarrierArrive => "barrier-wait",
        Kind::BarrierLeave => "barrier-leave",
        Kind::Channel => "channel",
        Kind::ChannelInit => "channel-init",
    }
}
