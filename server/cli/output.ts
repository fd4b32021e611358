/** Where a command writes what it found. */
export interface Output {
  /** One JSON value on one line, or lines for a person. */
  print(json: unknown, lines: () => string | Promise<string>): Promise<void>
  /** For a person who waits; not part of the result. */
  note(text: string): void
}

export function createOutput(asJson: boolean): Output {
  return {
    async print(json, lines) {
      process.stdout.write(`${asJson ? JSON.stringify(json) : await lines()}\n`)
    },
    note(text) {
      if (!asJson) process.stderr.write(`${text}\n`)
    },
  }
}

/** Columns under their headings. */
export function table(headings: string[], rows: (string | number | null)[][]): string {
  const lines = [headings, ...rows.map((row) => row.map((cell) => String(cell ?? '-')))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return text.join('\n')
}
