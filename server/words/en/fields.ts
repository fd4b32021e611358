import type { FieldProblem, TypeName } from '../../contract/field-problems.ts'

/** Problems of a field; each follows its name, as in "delay: must not be less than 0". */
export const fields = {
  required: 'is required',
  wrong_type: 'must be {expected}, not {given}',
  // In place of `wrong_type` where a number was given for a text.
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
  empty_without_file: 'must not be empty without a file',
  not_together: 'must not be given together with {other}',
  too_far_ahead: 'must be at most {days} days ahead',
  too_soon: 'must be at least {seconds} seconds after the message is due',
  no_such_file: 'names no file of this key: send it to /files first',
  not_an_allowed_file:
    'must be a file, not a link, in a folder that the owner allowed (Settings), and be there already',
  not_a_whole_path: 'must be a whole path such as {example}',
  no_such_folder: 'is no folder of this PC; plug in the drive, or correct the path',
  folder_not_writable: 'is a folder that Kurir may not write to; choose another one',
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
  // Its reason is known to the finder alone, in English.
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
