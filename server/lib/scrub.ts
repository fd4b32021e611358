/** Secrets in a text that the owner gives away, and their replacements. */
const RULES: [pattern: RegExp, instead: string][] = [
  // The path of an address can be a secret: a link to an invoice, for one.
  [/\b(https?|wss?):\/\/([^/\s"'\\?#@]*@)?([^/\s"'\\?#]+)[^\s"'\\]*/gi, '$1://$3/…'],
  [/\bkurir_[gd]_[\w-]+/g, '[key]'],
  [/\bwhsec_[\w+/=-]+/g, '[secret]'],
  [/\bBearer\s+[^\s"']+/gi, 'Bearer [token]'],
  [/\bEAA\w{20,}/g, '[token]'],
  // The folder of a user has the user's name; on Windows Kurir itself lies in it. A backslash is
  // doubled in JSON.
  [/(\\{1,2}Users\\{1,2})[^\\"]+(?=\\)/gi, '$1[user]'],
  [/(\/(?:Users|home)\/)[^/\s"':)]+/gi, '$1[user]'],
  // Digits alone are a number, and what they belong to says which kind.
  [/(?<![\w.+-])(?!\d+@)[\w.+-]+@(?:[\w-]+\.)+[a-z]{2,}/gi, '[mail]'],
  // Phone numbers, with or without separators; neither times nor parts of ids.
  [/(?<![\w-])(?!\d{4}-\d\d-\d\dT)\+?\d(?:[ .()-]{0,2}\d){7,}/g, '[number]'],
]

/** Takes addresses' paths, keys, phone numbers and names of people out of a line of the log. */
export const scrub = (text: string): string =>
  RULES.reduce((clean, [pattern, instead]) => clean.replaceAll(pattern, instead), text)
