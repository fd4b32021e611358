import { shown, UNSEEN } from '../contract/shown.ts'

/** Output of a command. */
export interface Output {
  /** One JSON value on one line, or lines for a person. */
  print(json: unknown, lines: () => string | Promise<string>): Promise<void>
  /** For a person who waits; not part of the result. A program gets `json` instead, if given. */
  note(text: string, json?: unknown): void
}

const BLACK_ON_WHITE = '\u001b[47m\u001b[30m'
const NO_COLOUR = '\u001b[0m'
/** True for a line of a QR code. */
const isDrawn = (line: string): boolean =>
  line.startsWith(BLACK_ON_WHITE) &&
  line.endsWith(NO_COLOUR) &&
  /^[ ▀▄█]+$/.test(line.slice(BLACK_ON_WHITE.length, -NO_COLOUR.length))

/** Names and errors come from outside too: they must not move the cursor or colour anything. */
export const readable = (text: string): string =>
  text
    .split('\n')
    .map((line) => (isDrawn(line) ? line : shown(line)))
    .join('\n')

/** The same value, in characters that can be seen. */
export const readableJson = (json: unknown): string =>
  JSON.stringify(json).replace(UNSEEN, (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`)

export function createOutput(asJson: boolean): Output {
  return {
    async print(json, lines) {
      process.stdout.write(`${asJson ? readableJson(json) : readable(await lines())}\n`)
    },
    note(text, json) {
      const said = asJson ? json !== undefined && readableJson(json) : readable(text)
      if (said !== false) process.stderr.write(`${said}\n`)
    },
  }
}

/** Columns under their headings. */
export function table(headings: string[], rows: (string | number | null)[][]): string {
  const lines = [headings, ...rows.map((row) => row.map((cell) => shown(String(cell ?? '-')).replace(/[\n\t]/g, '')))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return text.join('\n')
}
