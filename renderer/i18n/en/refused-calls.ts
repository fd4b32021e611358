export const refusedCalls = {
  title: 'Refused calls',
  lead: 'The last 1,000 calls of your programs that Kurir refused, or had to guess at. Nothing was sent for those that it refused.',
  notKept_one: 'Another call was refused, but too many came at once to list it.',
  notKept_other: 'Another {{count}} calls were refused, but too many came at once to list them.',
  empty: 'No call was refused',
  emptyHint: 'Calls that Kurir cannot accept appear here, with what to change in your program.',
  /** The name of its key, or the address of its PC where the key is not known. */
  who: 'Key or PC',
  key: 'Key',
  noKey: 'none that Kurir knows',
  what: 'What was wrong',
  advice: 'What to change in your program',
  call: 'Call',
  answer: 'Answer',
  field: 'Field',
  from: 'From',
  /** Sentences for a program, where those for the window do not fit. */
  code: {
    charset_assumed:
      'It does not write UTF-8. Kurir read its letters as those of Windows (Windows-1252), and took the message.',
    missing_api_key: 'The call had no API key.',
    invalid_api_key: 'Kurir does not know this API key.',
    invalid_request: 'A field is missing or wrong.',
    sender_not_found: 'There is no sender with this code.',
    message_not_found: 'There is no message with this ID.',
    not_found: 'There is nothing at this address.',
    rate_limited: 'Too many calls in a minute.',
  },
}
