import type { ErrorCode } from '../../contract/errors.ts'
import type { FieldProblem, TypeName } from '../../contract/field-problems.ts'

const AT_META = 'Meta refused the template. Read what it says at the message, and correct the template or its values.'
const BACKUP = 'This concerns a backup, not a call of a program.'
const TRY_AGAIN =
  'Nothing is wrong with the call. Let your program send the same call again after a minute, with the same Idempotency-Key.'

/** Advice for the program whose call was refused. */
export const refusals = {
  charset_assumed:
    'Check one message on the phone. Let your program write UTF-8, or name its charset: "Content-Type: application/json; charset=windows-1252".',
  invalid_json:
    'The body is no JSON. Let your language write it (json_encode, JSON.stringify) instead of joining texts.',
  invalid_request: 'Correct the field that is named; docs/api.md says what it may hold.',
  sender_code_required:
    'Add "sender_code" with the code of a sender, or use a device key, which belongs to one sender.',
  missing_api_key:
    'Create a key in Kurir under API keys, and put it into your program as "Authorization: Bearer <key>".',
  invalid_api_key:
    'The key was revoked, has expired, or was not copied whole. Create a new one under API keys and put it into your program.',
  sender_not_allowed: 'This key belongs to another sender. Leave out "sender_code", or use a global key.',
  key_reads_only: 'This key may only read. Create one under API keys that may send, and put it into your program.',
  owner_only: 'This address belongs to the window of Kurir. Use the addresses of docs/api.md in your program.',
  host_not_allowed: 'Call http://127.0.0.1:7420, or add the name to the allowed hosts in Settings.',
  sender_not_found: 'There is no sender of this code. Copy the code from the page Senders.',
  message_not_found: 'Ask with the id that the answer to /send gave, and with a key that reaches its sender.',
  not_found: 'There is nothing at this address. Compare it with docs/api.md.',
  method_not_allowed: 'The address is right, the method is not: sending is POST.',
  idempotency_conflict:
    'The same Idempotency-Key came with another body. Use a key of its own for each message, such as the invoice number.',
  duplicate_reference:
    'A message with this reference exists already: it was sent before. Do not send it again, or give a new reference.',
  duplicate_content:
    'The same text and file went to this number a moment ago: the program sends twice. Do not send it again.',
  recipient_opted_out:
    'The customer does not want it. Leave the number out of advertising; invoices and codes go without "purpose".',
  group_unknown:
    'Give the id of the group, or its exact name where only one has it: GET /senders/{code}/groups lists them.',
  group_no_marketing:
    'A message to a group goes without "purpose": groups are for staff, and advertising is for customers.',
  message_not_changeable: 'The message is on its way or finished; only a waiting one can be changed.',
  message_not_revocable:
    'A sent message of a linked number can be deleted for everyone for about two days, while that number stays linked.',
  message_not_cancellable: 'The message is on its way or finished; only a waiting one can be cancelled.',
  conflict: 'The sender is not ready for this; its page in Kurir says why.',
  payload_too_large: 'The body is too large. Send files as a form or by their address ("file"), and smaller ones.',
  unsupported_media_type: 'Send JSON in UTF-8 with the header "Content-Type: application/json", not packed.',
  sender_kind_mismatch:
    'Texts and files go to /send with a linked sender, templates to /waba/send-template with an official one.',
  template_not_sendable: AT_META,
  provider_rejected: AT_META,
  wrong_passphrase: BACKUP,
  backup_unreadable: BACKUP,
  backup_newer: BACKUP,
  table_unreadable: 'This concerns a table of the owner, not a call of a program.',
  rate_limited: 'Too many calls at once. Wait as long as the header Retry-After says, and then go on.',
  provider_rate_limited: 'Meta asks to send more slowly. Send again after the time in Retry-After.',
  internal_error: 'The mistake is in Kurir. Send the diagnostics of Settings with a report.',
  provider_unavailable: TRY_AGAIN,
  provider_auth_failed:
    'Nothing is wrong with the call: Meta refuses the access of this sender. Enter a new token on its page.',
  provider_timeout: 'It is not known whether Meta took the message. Ask for it by its id before sending it again.',
  queue_full: 'Too many messages wait for this sender. Let your program wait, and look at the sender’s page.',
  shutting_down: TRY_AGAIN,
  storage_full: 'The room for files is used up. Send the same call later, or let the owner allow more in Settings.',
  storage_unavailable: 'Kurir cannot write to its disk: Home says what to do. The call can be sent again afterwards.',
} as const satisfies Record<ErrorCode | 'charset_assumed', string>

/** Reasons why a program was refused, as the end of a sentence about it. */
export const refusedBecause = {
  invalid_api_key: 'its key is unknown',
  missing_api_key: 'it brings no key',
  invalid_request: 'a field is missing or wrong',
  invalid_json: 'its JSON is broken',
  not_found: 'there is nothing at the address that it calls',
  method_not_allowed: 'it calls with the wrong method',
  unsupported_media_type: 'Kurir cannot read the form in which it writes',
  payload_too_large: 'what it sends is too large',
  sender_not_found: 'its sender does not exist',
  sender_code_required: 'it names no sender',
  sender_not_allowed: 'its key belongs to another sender',
  key_reads_only: 'its key may only read',
  sender_kind_mismatch: 'its sender is of another kind',
  rate_limited: 'it calls too often',
  queue_full: 'too many messages wait for its sender',
  template_not_sendable: 'its template cannot be sent',
  provider_rejected: 'Meta refuses what it sends',
} as const satisfies Partial<Record<ErrorCode, string>>

/** Problems of a field, to follow its name, as in "delay: must not be less than 0". */
export const fields = {
  required: 'is required',
  wrong_type: 'must be {expected}, not {given}',
  // Replaces `wrong_type` if a number was given for a text.
  number_for_text: 'must be text, not a number: put it in quotation marks, such as "123"',
  not_a_number: 'must be a number',
  repeated: 'is given more than once: give it once, several values with commas where they are possible',
  empty: 'must not be empty',
  too_short: 'must have at least {min} characters',
  too_long: 'must have at most {max} characters',
  too_small: 'must not be less than {min}',
  too_big: 'must not be more than {max}',
  too_few: 'must have at least {min} members',
  too_many: 'must have at most {max} members',
  too_deep: 'must not be nested deeper than {max} levels',
  too_large: 'must not be larger than {max} bytes',
  not_one_of: 'must be one of these: {allowed}',
  wrong_form: 'must look like {example}',
  not_an_address:
    'must be an http or https address without user name and password, or begin with file:///C:/ or data:application/pdf;base64,',
  not_https: 'must be an https address',
  not_a_phone: 'must be a phone number of 7 to 15 digits with the country code, such as 6281234567890',
  no_country_code:
    'must begin with the country code, such as 6281234567890 instead of 081234567890 (or set a default country code for this sender)',
  zero_lost:
    'has neither its 0 nor a country code: write 081234567890 or 6281234567890 (or + before the code of another country)',
  empty_without_file: 'must not be empty without a file',
  not_together: 'must not be given together with {other}',
  too_far_ahead: 'must be at most {days} days ahead',
  too_soon: 'must be at least {seconds} seconds after the message is due',
  no_such_file: 'names no file of this key: send it to /files first',
  not_an_allowed_file:
    'must be a file, not a link, in a folder that the owner allowed (Settings), and be there already',
  not_a_whole_path: 'must be a whole path such as {example}',
  folder_silent:
    'does not answer: its drive, or the PC that it is on, may be asleep or off; try again once it is there',
  no_such_folder: 'is no folder of this PC; plug in the drive, or correct the path',
  folder_not_writable: 'is a folder that Kurir may not write to; choose another one',
  folder_full: 'has no room left; make room in it, or choose another one',
  folder_taken: 'holds the backups of another Kurir; choose a folder of its own, or restore its backup first',
  folder_of_kurir: 'lies inside Kurir’s own data folder; choose one on another drive',
  folder_not_empty: 'has something in it already: choose an empty folder, because Kurir moves every file in it',
  unknown_words: 'has words in braces that Kurir cannot fill in: {names}',
  body_given_twice: 'must hold no body when parameters are given',
  not_a_parameter: 'must be text, a number, or true or false; a number of more than 15 digits as text',
  variables_touch: 'needs some text between two variables',
  unknown_variables: 'names {names}, which the pattern does not have',
  not_official: 'must be the code of an official sender',
  no_such_sender: 'must be the code of a sender',
  only_linked: 'is for a sender that is linked by QR code',
  not_a_cursor: 'must be the next_cursor of a list before',
  not_printable: 'must have 1 to {max} printable characters',
  not_percent_encoded: 'must be percent-encoded UTF-8',
  unknown_name: 'is not known here: check how it is spelt',
  unknown_sender: 'names no sender: {sender_code}',
  address_refused: '{reason}',
  // The code that found the problem writes the reason, in English.
  other: '{reason}',
  invalid: 'is not valid',
} as const satisfies Record<FieldProblem | 'number_for_text', string>

/** Kinds of values, for `wrong_type`. */
export const types = {
  text: 'text',
  number: 'a number',
  whole_number: 'a whole number',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
  null: 'null',
  other: 'something else',
} as const satisfies Record<TypeName, string>
