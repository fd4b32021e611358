import type { ConcernAction, ConcernCode } from '../../contract/concerns.ts'
import type { ConcernText, ConcernTexts } from '../text.ts'
import { linked, official } from './sender-concerns.ts'

const KEPT = 'Messages that were accepted before are kept and sent.'
const IN_DATABASE = 'Messages that were accepted before are in the database, and are sent when it works again.'

/** Concerns of the program, its messages and webhooks, and the choices of the owner. */
const program = {
  storage_full: {
    title: 'The disk is full: Kurir refuses new messages.',
    meaning: KEPT,
    advice: 'Free some space on this PC. Kurir goes on by itself.',
  },
  storage_gone: {
    title: 'The database file is gone: Kurir refuses new messages.',
    meaning: 'It was deleted, moved or replaced while Kurir was running.',
    advice: 'Put the file back and restart Kurir, or restore a backup.',
  },
  storage_read_only: {
    title: 'Kurir may not write to its data folder: it refuses new messages.',
    meaning: KEPT,
    advice: 'Give the user that runs Kurir the right to write to the data folder. Kurir goes on by itself.',
  },
  storage_unavailable: {
    title: 'Kurir cannot save messages: it refuses new ones.',
    meaning: `Another program may hold the database, or the disk has a fault. ${KEPT}`,
    advice:
      'Close backup programs and virus scanners that use the data folder. If that does not help, restart this PC.',
  },
  storage_server_away: {
    title: 'The database server does not answer: Kurir refuses new messages.',
    meaning: `Nothing is sent meanwhile, and senders and figures cannot be shown. ${IN_DATABASE}`,
    advice: 'Start the database server, or restore the network between it and this computer. Kurir goes on by itself.',
  },
  storage_server_refuses: {
    title: 'The database server takes no writes from Kurir: new messages are refused.',
    meaning: `It is a standby that only answers questions, or it refuses the login of Kurir. ${IN_DATABASE}`,
    advice:
      'Promote the standby if the main server is gone. Otherwise check KURIR_DATABASE_URL and the rights of its role; the log says what the server answers.',
  },
  storage_server_newer: {
    title: 'This computer runs a version of Kurir that is too old for the database: it refuses new messages.',
    meaning:
      'Another computer has changed the database for a newer version. The others go on, and send the messages that were accepted here.',
    advice: 'Install the version of the other computers here.',
  },
  storage_server_full: {
    title: 'The disk of the database server is full: Kurir refuses new messages.',
    meaning: IN_DATABASE,
    advice: 'Free some space on the database server. Kurir goes on by itself.',
  },
  files_unavailable: {
    title: 'Files cannot be stored or fetched: messages with files wait, and new ones are refused.',
    meaning: 'The object store does not work, or refuses Kurir. Messages without files leave as always.',
    advice: 'Check the object store and its settings; the log says what it answers. Kurir goes on by itself.',
  },
  not_moving: {
    title: '{name} is connected, but its messages do not leave.',
    meaning: 'Nothing was sent for a quarter of an hour, although messages are due.',
    advice: 'Restart Kurir. If it happens again, save the diagnostics in Settings for the person who helps you.',
  },
  messages_failing: {
    title: '{failed} of {total} {total:message|messages} failed {span}: {reasons}.',
    meaning: 'As far as Kurir knows, none of them arrived.',
    advice: 'Look at the reasons and correct what is wrong before you send them again.',
  },
  some_failed: {
    title: '{failed} of {total} {total:message|messages} did not arrive {span}: {reasons}.',
    meaning: 'The others left.',
    advice: 'Look at the reasons and correct what is wrong before you send them again.',
  },
  sending_long: {
    title: '{count} {count:message|messages} of {name} {count:has|have} been sending since {since}.',
    meaning: 'It is not known yet whether {count:it has|they have} left.',
    advice: 'Look in Messages at what the last attempt says. Ask the customer before you write it again.',
  },
  disk_nearly_full: {
    title: 'The disk is nearly full[: {size} are left].',
    meaning: 'When it is full, Kurir refuses new messages.',
    advice: 'Delete large files that nobody needs, or let Kurir keep messages for a shorter time.',
  },
  endpoint_failing: {
    title:
      'Your program at {host} does not answer Kurir as it should[ (since {since})].[ {count} {count:is|are} waiting.]',
    meaning: 'It does not learn what became of its messages. Kurir keeps trying for three days.',
    advice: 'See what it answers, correct it, and send a test.',
  },
  endpoint_gone: {
    title: 'Callbacks to {host} are switched off: it answered “Gone”.[ {count} {count:is|are} waiting.]',
    meaning: 'Your program does not learn what becomes of its messages.',
    advice: 'Correct the address and switch the webhook on again, or delete it.',
  },
  callbacks_dead: {
    title: '{count} {count:callback|callbacks} to {host} could not be delivered.',
    meaning: 'Your program has not learned what became of these messages. Kurir has stopped trying.',
    advice: 'Send them again now that the webhook works, or discard them.',
  },
  calls_refused: {
    title: '{program} was refused {count} {count:time|times} since {since}[: {cause}].',
    meaning: 'Nothing was sent for these requests, and the program may not say so.',
    advice: 'See which program it is and what has to be changed in it.',
  },
  printer_closed: {
    title: 'The printer port[ {detail}] cannot be opened.',
    meaning: 'What your till prints does not reach Kurir. Another program may use this port.',
    advice: 'Close that program, or choose another port in Kurir and in the printer of your till.',
  },
  prints_full: {
    title: 'There is no room for more prints.',
    meaning: 'Your till cannot print to Kurir until there is.',
    advice: 'Throw away prints that wait, or send them.',
  },
  drop_folder_away: {
    title: 'The drop folder is not there: {detail}.',
    meaning: 'Files that are put into it are not sent.',
    advice: 'Plug in its drive, or connect the network. If the folder is somewhere else now, choose it again.',
  },
  drop_folder_stopped: {
    title: 'Kurir cannot take what is in the drop folder[: {cause}].[ {count} {count:file waits|files wait}.]',
    meaning: 'What waits there is not sent until the cause is removed.',
    advice: 'See in Settings what helps.',
  },
  prints_wait: {
    title: '{count} {count:print waits|prints wait} for you since {since}.',
    meaning: 'Kurir has not sent {count:it|them}, because something is not clear.',
    advice: 'Enter the number and send it, or throw it away.',
  },
  drop_limit: {
    title: 'The drop folder has reached its limit of today: {count} {count:file waits|files wait}.',
    meaning: 'Kurir goes on tomorrow.',
    advice: 'Raise the limit in Settings if these are yours.',
  },
  drop_files_failed: {
    title: '{count} {count:file|files} of the drop folder {count:was|were} not sent, or not whole.',
    meaning: '{count:It lies|They lie} in its folder “failed”, a table in “sent”, beside a text that says why.',
    advice: 'Correct the file and put it into the drop folder again. Delete the text when you are done.',
  },
  node_gone: {
    title: 'Node[ {detail}] was not heard of since {since}.',
    meaning: 'It ended without saying so, or cannot reach the database. The other nodes have taken its senders over.',
    advice: 'Start it again. If it is gone for good, take it out of the list of nodes.',
  },
  clock_off: {
    title: 'The clock of this PC was wrong.',
    meaning: 'Messages still wait as long as they should, but the times in the log may be wrong.',
    advice: 'Let the system set the time automatically.',
  },
  all_paused: {
    title: 'You have paused all sending.',
    meaning: 'New messages are accepted and wait.',
    advice: 'Resume when you want to go on.',
  },
  paused: {
    title: 'You have paused {name}.',
    meaning: 'New messages are accepted and wait.',
    advice: 'Resume when you want to go on.',
  },
  paused_by_return: {
    title: 'Data was restored or moved back: {name} is paused.',
    meaning: 'New messages are accepted and wait.',
    advice: 'Some may have been sent since the backup, or by another PC: cancel that first, then resume.',
  },
  daily_cap: {
    title: '{name} has reached the daily limit that you set[ and goes on {until}].',
    meaning: 'Messages wait until then.',
    advice: 'Raise the limit in the sender if more should leave today.',
  },
  quiet_hours: {
    title: '{name} keeps its quiet hours[ until {until}].',
    meaning: 'Messages wait until then.',
    advice: 'Change the quiet hours in the sender if they do not fit.',
  },
  long_line: {
    title: '{name} has much to send[: at its pace until about {until}].',
    meaning: 'Messages leave one after the other, with the pauses and limits that you set.',
    advice: 'Nothing to do if that is soon enough. Otherwise send some through another number, or shorten the pauses.',
  },
  nothing_linked: {
    title: 'No number is linked yet.',
    meaning: 'Until then only the sandbox works, for trying things out.',
    advice: 'Link the number of your shop with a QR code.',
  },
  program_of_another_gateway: {
    title: 'A program on this PC calls as it would call {gateway} ({count} {count:time|times} since {since}).',
    meaning: 'Kurir has refused it: nothing was sent.',
    advice: 'Let it in if you want it to send through Kurir. It can rehearse with the sandbox first.',
  },
  program_nearly_right: {
    title: 'A program on this PC calls Kurir nearly right ({count} {count:time|times} since {since}).',
    meaning: 'Kurir has refused it: nothing was sent.',
    advice: 'See what has to be changed in the program.',
  },
  silent: {
    title: 'Nothing was sent from {name} since {since}.',
    meaning: 'Before that there were messages on most days. No message waits now.',
    advice:
      'If your program should have sent, check that it runs and reaches Kurir. If the shop was closed, there is nothing to do.',
  },
  owner_pages_open: {
    title: 'The owner’s pages are open to other devices in your network, without encryption.',
    meaning: 'Others in that network can read everything that these pages send.',
    advice: 'Close them in Settings if only this PC needs them.',
  },
  lan_open: {
    title: 'Programs in your network can send through Kurir.',
    meaning: 'They need an API key.',
    advice: 'Close it in Settings if all your programs run on this PC.',
  },
  update_available: {
    title: 'Kurir {detail} is ready.',
    meaning: 'It is installed when Kurir quits.',
    advice: 'Restart and update at a quiet moment.',
  },
  backup_folder_away: {
    title: 'The folder for backups is not there[: there was no backup for {count} {count:day|days}].',
    meaning: 'If this PC breaks, everything since the last backup is lost.',
    advice: 'Plug in the drive of {detail}, or choose a folder again in Settings.',
  },
  backup_failed: {
    title: 'The automatic backup failed[: {cause}].[ There was none for {count} {count:day|days}.]',
    meaning: 'If this PC breaks, everything since the last backup is lost.',
    advice: 'See in Settings what helps, then back up now.',
  },
  backup_late: {
    title: 'There was no automatic backup for {count} {count:day|days}.',
    meaning: 'If this PC breaks, everything since the last backup is lost.',
    advice: 'Back up now in Settings.',
  },
  backup_never: {
    title: 'There is no backup of Kurir yet.',
    meaning: 'If this PC breaks, links, keys and the log are lost.',
    advice: 'Make a backup in Settings and keep it somewhere else.',
  },
  backup_old: {
    title: 'The last backup is {count} days old ({since}).',
    meaning: 'Changes since then would be lost if this PC broke.',
    advice: 'Make a new backup in Settings.',
  },
  retention_never: {
    title: 'Messages are kept for ever.',
    meaning: 'The database grows with every message.',
    advice: 'Choose in Settings how long to keep them.',
  },
} as const satisfies ConcernTexts

export const concerns = { ...program, ...linked, ...official } as const satisfies Record<ConcernCode, ConcernText>

/** Labels of a concern's button. */
export const actions = {
  link: 'Link',
  link_again: 'Link again',
  add_number: 'Link a number',
  resume: 'Resume',
  use_here: 'Use it here',
  try_again: 'Try again',
  resume_all: 'Resume all',
  what_to_do: 'What to do',
  decide: 'Decide',
  enter_token: 'Enter a new token',
  enter_secret: 'Enter the secrets',
  correct_ids: 'Correct the IDs',
  register: 'Register the number',
  see_why: 'See why',
  see_messages: 'See them',
  see_callbacks: 'See them',
  see_refused: 'See them',
  see_prints: 'Open the printer',
  let_in: 'Let it in',
  change_limit: 'Change the limit',
  change_hours: 'Change the hours',
  change_pace: 'Change the pace',
  open_settings: 'Settings',
  back_up: 'Back up',
  update: 'Update',
} as const satisfies Record<ConcernAction, string>

/** Parts of the sentences of concerns. */
export const concernParts = {
  /** Follow the title if messages wait because of the concern, or failed today. */
  waiting: '{waiting} {waiting:message is|messages are} waiting.',
  failed: '{failed} {failed:message|messages} failed today.',
  /** Spans of time: the present day, or since a clock time. */
  today: 'today',
  sinceTime: 'since {time}',
  /** Replace the name of one number, and of several. */
  aNumber: 'a number',
  numbers: '{count} {count:number|numbers}',
  /** Replaces the address of a webhook. */
  aWebhook: 'a webhook',
  /** Replace the name of a program, and of a gateway. */
  aProgram: 'a program',
  anotherGateway: 'another gateway',
  otherReasons: 'for other reasons',
} as const

/** Titles and bodies of alarms, and the daily line. */
export const alarms = {
  needs: 'Kurir needs you',
  over: 'Solved',
  test: 'Kurir: this is a test',
  testBody: 'Alarms arrive here when messages wait, fail or cannot be reported.',
  from: 'From the PC {computer}.',
  day: 'Kurir today',
  figures: 'Today {sent} sent, {failed} failed, {waiting} waiting.',
  pastDay: 'Kurir on {day}',
  pastFigures: '{sent} sent, {failed} failed. This line could not leave on its day.',
  well: 'All is well.',
} as const
