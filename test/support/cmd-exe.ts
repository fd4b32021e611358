import { existsSync } from 'node:fs'

/**
 * Windows' cmd.exe, as far as the docs and examples use it: variables, `^`, `set`, `rem` and
 * programs with arguments. Checks quoting that was never run on Windows.
 *
 * Rules: `%NAME%` is expanded first, also inside quotes; `^` at the end joins lines; each `"` opens
 * or closes quotes, even `\"`; outside of quotes `& | < >` are operators, which our texts must not
 * contain (cmd /?, "How the command line interpreter parses scripts"). A program then splits the
 * rest by the rules of Microsoft's C runtime ("Parsing C command-line arguments").
 */
export interface Command {
  argv: string[]
  env: Record<string, string>
}

/** @param args arguments of the batch file; `%~1` is the first */
export function readBatch(text: string, env: Record<string, string> = {}, args: readonly string[] = []): Command[] {
  const variables = { ...env }
  const commands: Command[] = []
  for (const line of text.replaceAll('\r\n', '\n').replace(/\^\n/g, '').split('\n')) {
    const expanded = line
      .replace(/%~(\d)/g, (_, index: string) => args[Number(index) - 1] ?? '')
      .replace(/%(\w+)%/g, (_, name: string) => variables[name] ?? '')
      .trim()
    const rest = withoutCondition(expanded)
    if (rest === '' || /^(@echo|rem)\b/i.test(rest)) continue
    const assignment = /^set (\w+)=(.*)$/i.exec(rest)
    if (assignment !== null) variables[assignment[1] ?? ''] = assignment[2] ?? ''
    else commands.push({ argv: splitArguments(withoutCarets(rest)), env: { ...variables } })
  }
  return commands
}

/**
 * Evaluates `if "a"=="b" rest`, `if not …` and `if not exist "file" rest`. Returns the rest, or an
 * empty string.
 */
function withoutCondition(line: string): string {
  const [, path, ifMissing = ''] = /^if not exist "([^"]*)" (.*)$/i.exec(line) ?? []
  if (path !== undefined) return existsSync(path) ? '' : ifMissing
  const found = /^if (not )?"([^"]*)"=="([^"]*)" (.*)$/i.exec(line)
  if (found === null) return line
  const [, not, left, right, rest = ''] = found
  return (left === right) === (not === undefined) ? rest : ''
}

/** Removes `^` outside of quotes. @throws if an operator is outside of quotes */
function withoutCarets(line: string): string {
  let quoted = false
  let out = ''
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at)
    if (char === '"') quoted = !quoted
    if (!quoted && '&|<>'.includes(char)) throw new Error(`cmd.exe would take ${char} for an operator in: ${line}`)
    if (!quoted && char === '^') at += 1
    out += quoted || char !== '^' ? char : line.charAt(at)
  }
  return out
}

/**
 * Splits a command line. Backslashes escape only before a quote: each pair is one backslash, and an
 * odd one makes the quote a literal.
 */
function splitArguments(line: string): string[] {
  const found: string[] = []
  let current: string | undefined
  let quoted = false
  for (let at = 0; at < line.length; ) {
    const [slashes = ''] = /^\\*/.exec(line.slice(at)) ?? []
    const next = line.charAt(at + slashes.length)
    if (slashes !== '' && next === '"') {
      current = (current ?? '') + '\\'.repeat(slashes.length / 2)
      if (slashes.length % 2 === 1) current += '"'
      at += slashes.length + (slashes.length % 2)
    } else if (slashes !== '') {
      current = (current ?? '') + slashes
      at += slashes.length
    } else if (next === '"') {
      quoted = !quoted
      current ??= ''
      at += 1
    } else if (!quoted && /\s/.test(next)) {
      if (current !== undefined) found.push(current)
      current = undefined
      at += 1
    } else {
      current = (current ?? '') + next
      at += 1
    }
  }
  return current === undefined ? found : [...found, current]
}
