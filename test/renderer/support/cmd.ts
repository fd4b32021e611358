/**
 * The arguments that cmd.exe gives to a program, at its prompt: cmd's own quotation, carets and variables first (as `cmd /?`
 * and Microsoft's "Parsing C++ command-line arguments" describe them), then the C runtime's splitting of what is left.
 * Throws where cmd would do something else than start one program.
 */
export function cmdArguments(text: string, variables: Record<string, string>): string[] {
  return splitArguments(unquoted(expanded(text, variables)))
}

/** `%NAME%` anywhere, also inside of quotes; at the prompt an unknown name stays as it is. */
const expanded = (text: string, variables: Record<string, string>): string => {
  const byName = new Map(Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]))
  return text.replaceAll(/%([^%\n]+)%/g, (whole, name: string) => byName.get(name.toLowerCase()) ?? whole)
}

/** Outside of quotes a caret takes the meaning of the next character, at the end of a line that of the line break. */
function unquoted(text: string): string {
  let line = ''
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\n' && !quoted) throw new Error(`cmd would end the command before: ${text.slice(at, at + 40)}`)
    if (character === '\n') throw new Error('cmd ends a quotation at the end of a line')
    if (!quoted && '&|<>()'.includes(character)) throw new Error(`cmd would read ${character} as its own`)
    if (!quoted && character === '^') {
      at += 1
      if (text[at] !== '\n') line += text[at] ?? ''
      continue
    }
    // cmd knows no escaped quote: each one begins or ends a quotation.
    if (character === '"') quoted = !quoted
    line += character
  }
  return line
}

/** The rules of CommandLineToArgvW: `\"` is a quote, backslashes count only before one. */
function splitArguments(line: string): string[] {
  const found: string[] = []
  let present: string | null = null
  let quoted = false
  for (let at = 0; at < line.length; at += 1) {
    const slashes = /^\\*/.exec(line.slice(at))?.[0].length ?? 0
    if (slashes > 0) {
      const beforeQuote = line[at + slashes] === '"'
      present = (present ?? '') + '\\'.repeat(beforeQuote ? Math.floor(slashes / 2) : slashes)
      at += slashes - 1
      if (beforeQuote && slashes % 2 === 1) {
        present += '"'
        at += 1
      }
    } else if (line[at] === '"') {
      quoted = !quoted
      present ??= ''
    } else if (!quoted && /\s/.test(line[at] ?? '')) {
      if (present !== null) found.push(present)
      present = null
    } else present = (present ?? '') + line[at]
  }
  if (present !== null) found.push(present)
  return found
}
