/**
 * Limits on the data that others send, each with its source. "Our own limit" means that we chose
 * the value and no document names it.
 */

/**
 * Sessions kept per device: the open one and the ones used most recently before it. Signal's own
 * library keeps 40. libsignal tries every kept session on an unreadable message, at 20 ms or more
 * each (measured). A closed session is useful only while messages sent before it was closed are
 * still under way, and each start of Kurir closes one.
 */
export const MOST_SESSIONS = 5

/**
 * Messages that may be missing before an arriving message, per chain. Signal's own library allows
 * 25,000. libsignal allows 2,000 and derives a key for each before it knows whether the message is
 * genuine. WhatsApp keeps waiting messages and delivers them in order, so only a few are missing. A
 * sender that is further ahead is asked to send again in a new session.
 */
export const MOST_SKIPPED = 500

/**
 * Keys kept for skipped messages that may still arrive, over all sessions with one device. Signal's
 * own library keeps as many per chain, but here every arriving message writes all of them again.
 */
export const MOST_KEPT_KEYS = 2_000

/** Receiving chains kept per session; the newest stay. Signal's own library keeps as many. */
export const MOST_RECEIVING_CHAINS = 5

/**
 * Unreadable messages allowed per device and minute. When a device exceeds this, its messages are
 * confirmed unread until the minute is over. Our own limit: the first unreadable message is
 * answered with a new session within seconds, so a customer's phone stays far below.
 */
export const MOST_UNREADABLE = 20

/**
 * Requests per minute to the owner's phone for copies of unreadable messages. Our own limit,
 * because each request wakes the phone. Skipped requests lose little: the sender of the message is
 * asked too.
 */
export const MOST_ASKED_OF_PHONE = 10

/**
 * Disappearing-message timers that WhatsApp's clients offer, in seconds: a day, a week, 90 days.
 */
export const TIMERS: ReadonlySet<number> = new Set([86_400, 604_800, 7_776_000])

/**
 * Bytes that WhatsApp's server may send at once: a frame's length has 24 bits. Also limits what a
 * frame inflates to.
 */
export const MOST_FRAME_BYTES = 16 * 1024 * 1024 + 3

/**
 * Bytes that a server may send at once before it has proved to be WhatsApp. WhatsApp's greeting is
 * under 1 KB, but the library would read every 3 bytes as a frame.
 */
export const MOST_GREETING_BYTES = 64 * 1024

/**
 * Frames of WhatsApp's server that are read before other connections get a turn. Frames that
 * Node.js has read from the network already (64 KB and a little more) are still processed. Our own
 * limit.
 */
export const FRAMES_IN_ONE_GO = 50

/** Compressed bytes of a history chunk. WhatsApp's own chunks have a few megabytes. */
export const MOST_HISTORY_BYTES = 64 * 1024 * 1024

/**
 * Bytes of one collection of the phone's settings. Our own limit: some thousands of settings take
 * one megabyte.
 */
export const MOST_SETTINGS_BYTES = 8 * 1024 * 1024

/**
 * Contacts of a history that are stored before other calls get a turn: sealing the values of this
 * many takes 10 ms. Our own limit.
 */
export const HISTORY_PORTION = 200

/** Messages of one receipt that are recorded before other calls get a turn. Our own limit. */
export const RECEIPT_PORTION = 50

/**
 * Characters of a message id, because ids are kept for a month. WhatsApp's clients use 18 to 32;
 * our own limit is far above.
 */
export const LONGEST_ID = 512

/**
 * Bytes of a customer's sealed message. WhatsApp's clients write texts of up to 65,536 letters,
 * which is 256 KB at most, and a small preview picture; files are stored elsewhere. A longer
 * message is confirmed unread.
 */
export const MOST_MESSAGE_BYTES = 1024 * 1024

/**
 * Devices of one person that a message is written to, because each needs a session: the ones that
 * WhatsApp names first. WhatsApp allows a phone and four more, with Meta Verified ten; our own
 * limit is above.
 */
export const MOST_DEVICES = 20

/**
 * Members of a group that messages are sent to: WhatsApp's own limit. Larger groups are the
 * announcement groups of communities.
 */
export const MOST_MEMBERS = 1_024

/** Groups stored per number. Our own limit: a shop's number is in a few. */
export const MOST_GROUPS = 1_000

/** Characters of a group's name (`group_max_subject`; whatsapp-rust, iq/groups.rs). */
export const LONGEST_SUBJECT = 100

/**
 * Groups whose members stay in memory: the ones written to most recently. WhatsApp is asked again
 * about the others. Our own limit.
 */
export const MOST_GROUPS_WRITTEN_TO = 100

/**
 * Messages sealed with one sender key before a new key replaces it, as in whatsapp-rust
 * (send/mod.rs).
 */
export const MOST_UNDER_SENDER_KEY = 1_000
