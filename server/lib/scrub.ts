/** Secrets in a text that the owner may pass on, with their replacements. */
const RULES: [pattern: RegExp, instead: string][] = [
  // The path of an address can be secret, for example a link to an invoice.
  [/\b(https?|wss?):\/\/([^/\s"'\\?#@]*@)?([^/\s"'\\?#]+)[^\s"'\\]*/gi, '$1://$3/…'],
  [/\bkurir_[gd]_[\w-]+/g, '[key]'],
  [/\bwhsec_[\w+/=-]+/g, '[secret]'],
  [/\bBearer\s+[^\s"']+/gi, 'Bearer [token]'],
  [/\bEAA\w{20,}/g, '[token]'],
  // A home folder contains the user's name, and on Windows Kurir itself is installed in it. JSON
  // doubles each backslash.
  [/(\\{1,2}Users\\{1,2})[^\\"]+(?=\\)/gi, '$1[user]'],
  [/(\/(?:Users|home)\/)[^/\s"':)]+/gi, '$1[user]'],
  // An address with digits alone before the @ is a WhatsApp number. The next rule hides the number;
  // its domain tells the kind.
  [/(?<![\w.+-])(?!\d+@)[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}/gi, '[mail]'],
  // Phone numbers, with or without separators, but not times or parts of ids.
  [/(?<![\w-])(?!\d{4}-\d\d-\d\dT)\+?\d(?:[ .()-]{0,2}\d){7,}/g, '[number]'],
]

/** Removes addresses' paths, keys, phone numbers and people's names from a line of the log. */
export const scrub = (text: string): string =>
  RULES.reduce((clean, [pattern, instead]) => clean.replaceAll(pattern, instead), text)
