import { type Line, textOf, widthOf } from './paper.ts'

/** Letters in a line of the usual papers: 58 and 80 mm wide. */
const PAPERS = [32, 42, 48] as const

export const columnsOf = (lines: readonly Line[]): number => {
  const longest = lines.reduce((most, line) => Math.max(most, widthOfLine(line)), 0)
  return PAPERS.find((columns) => longest <= columns) ?? longest
}

export const widthOfLine = ({ spans }: Line): number =>
  spans.reduce((sum, { text, wide }) => sum + widthOf(text, wide), 0)

/** Columns before a line that stands in the middle or at the right. */
export const indentOf = (line: Line, columns: number): number => {
  const rest = columns - widthOfLine(line)
  return line.align === 'left' ? 0 : line.align === 'right' ? rest : Math.floor(rest / 2)
}

/** A receipt as it is printed, each line a text. */
export function printedLines(lines: readonly Line[]): string[] {
  const columns = columnsOf(lines)
  return lines.map((line) => (line.spans.length === 0 ? '' : ' '.repeat(indentOf(line, columns)) + textOf(line)))
}

const SEPARATOR_WIDTH = 20

/**
 * A receipt as a message. A phone has no columns: a line of dashes must not fill two lines, and a
 * wide gap says no more than a small one.
 */
export const messageText = (lines: readonly Line[]): string =>
  lines
    .map((line) => {
      const text = textOf(line).trim()
      const [first = ''] = text
      const isSeparator = text.length > SEPARATOR_WIDTH && text === first.repeat(text.length / first.length)
      return isSeparator ? first.repeat(SEPARATOR_WIDTH) : text.replaceAll(/ {3,}/g, '  ')
    })
    .join('\n')
