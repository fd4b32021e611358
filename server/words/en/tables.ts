/** Why no message is made of a row of a table. */
export const tableProblems = {
  no_number: 'The row has no number.',
  shortened: 'The spreadsheet shortened this number to {value}. Format the column as text and copy it again.',
  zero_lost: '{value} has neither its first 0 nor a country code.',
  no_country_code: '{value} has no country code, and this sender has no country set.',
  not_a_phone: '{value} is no phone number and no group of this sender.',
  group_no_marketing: '{value} is a group. Advertising does not go to groups.',
  twice: '{value} has the same message in a row above.',
  opted_out: '{value} does not want these messages.',
  empty_field: 'The column “{value}” is empty, and the message needs it.',
  empty_message: 'The message is empty, and there is no file.',
  too_long: 'The message has {value} characters. WhatsApp takes 4096.',
  file_missing: 'There is no file named {value}.',
  file_gone: 'Its file is not kept any more. Choose the files again in a new table.',
  refused: 'Kurir could not take it: {value}',
} as const

/** Fate of a row, beside the status of its message. */
export const tableKinds = {
  refused: 'Not sent',
  waiting: 'Not in the queue',
  stopped: 'Stopped',
  removed: 'Removed by now',
} as const

/** A row in a list of rows that are not sent. */
export const tableLine = 'Line {line}: {problem}'
