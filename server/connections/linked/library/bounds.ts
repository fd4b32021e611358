/** How much of what others send is worked on. Each number stands here, with its source. */

/**
 * Sessions kept with one device: the open one, and those used last before it. Signal's own library
 * keeps 40; in libsignal an unreadable message costs 20 ms and more for each (measured). A closed
 * one is of use while messages sent before it was closed are still under way, and each start closes
 * one.
 */
export const MOST_SESSIONS = 5

/**
 * Messages that may be missing before one that arrives, in one chain. Signal's own library allows
 * 25,000, libsignal 2,000: it derives a key for each, before it knows whether the message is
 * genuine. WhatsApp keeps what waits and gives it in order, so that a few are missing. A sender who
 * is further ahead is asked to send again, in a new session.
 */
export const MOST_SKIPPED = 500

/**
 * Keys kept for messages that were skipped and may still come, in all sessions with one device.
 * Signal's own library keeps as many in each chain; here all of them are written again with each
 * message.
 */
export const MOST_KEPT_KEYS = 2_000

/** Chains of received messages kept in a session, the newest. As in Signal's own library. */
export const MOST_RECEIVING_CHAINS = 5

/**
 * Unreadable messages of one device in a minute. From then on, until that minute is over, its
 * messages are confirmed unread. Ours: the first is answered with a new session within seconds, so
 * that a customer's own phone stays far below.
 */
export const MOST_UNREADABLE = 20

/**
 * Requests to the owner's phone in a minute for what could not be read. Ours: each wakes the phone.
 * Those that are not made are only a second way; the one who wrote is asked too.
 */
export const MOST_ASKED_OF_PHONE = 10

/**
 * Timers of messages that disappear, as WhatsApp's clients offer them: a day, a week, ninety days;
 * in seconds.
 */
export const TIMERS: ReadonlySet<number> = new Set([86_400, 604_800, 7_776_000])

/**
 * Bytes of what WhatsApp's server sends in one go: a frame's length has 24 bits. What it inflates
 * to is no more.
 */
export const MOST_FRAME_BYTES = 16 * 1024 * 1024 + 3

/**
 * The same before anybody has proved to be WhatsApp. Its greeting has less than 1 KB; the library
 * reads each 3 bytes as a frame.
 */
export const MOST_GREETING_BYTES = 64 * 1024

/**
 * Frames of WhatsApp's server after which others have their turn, apart from what was taken off the
 * line already: 64 KB and a little more. Ours.
 */
export const FRAMES_IN_ONE_GO = 50

/** Bytes of a chunk of the history, compressed. WhatsApp's own have a few megabytes. */
export const MOST_HISTORY_BYTES = 64 * 1024 * 1024

/** Most bytes of the phone's settings of one collection: some thousands are a megabyte. Ours. */
export const MOST_SETTINGS_BYTES = 8 * 1024 * 1024

/**
 * Contacts of a history that are learnt in one go: sealing what belongs to them takes 10 ms.
 * Others' turn comes in between. Ours.
 */
export const HISTORY_PORTION = 200

/** Messages of one receipt that are recorded in one go; others' turn comes in between. Ours. */
export const RECEIPT_PORTION = 50

/**
 * Longest id of a message, which is kept for a month. WhatsApp's clients make 18 to 32 characters;
 * ours is far above.
 */
export const LONGEST_ID = 512

/**
 * Most bytes of a customer's sealed message. WhatsApp's clients write texts up to 65,536 letters,
 * which is 256 KB at most, and a small picture; files lie elsewhere. A longer one is confirmed
 * unread.
 */
export const MOST_MESSAGE_BYTES = 1024 * 1024

/**
 * Most devices of a person that are written to, those that WhatsApp names first: each needs a
 * session. WhatsApp allows a phone and four more, with Meta Verified ten; ours is above.
 */
export const MOST_DEVICES = 20

/**
 * Most members of a group that is written to: WhatsApp's own limit. Larger ones are announcements
 * of communities.
 */
export const MOST_MEMBERS = 1_024

/** Most groups of a number that are known. Ours; a number of a shop is in a few. */
export const MOST_GROUPS = 1_000

/** Most characters of a group's name (`group_max_subject`; whatsapp-rust, iq/groups.rs). */
export const LONGEST_SUBJECT = 100

/**
 * Groups whose members are kept in memory: those written to last. Others are asked for again. Ours.
 */
export const MOST_GROUPS_WRITTEN_TO = 100

/** Messages under one sender key; then comes another one, as in whatsapp-rust (send/mod.rs). */
export const MOST_UNDER_SENDER_KEY = 1_000
