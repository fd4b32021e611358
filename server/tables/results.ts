import type { ServerResponse } from 'node:http'
import type { Language } from '../contract/settings.ts'
import { writePages } from '../http/write-pages.ts'
import { asText, BOM, escaped, separatorIn, spreadsheetTimes } from '../messages/csv.ts'
import type { TableLine, TableRow } from '../store/index.ts'
import { WORDS } from '../words/index.ts'
import { say } from '../words/say.ts'
import { rowRefusal } from './contract.ts'

const PAGE = 200

/** Writes the table as it came, with what became of each row. */
export async function writeResults(
  { columns }: TableRow,
  read: (after: number, limit: number) => Promise<TableLine[]>,
  language: Language,
  res: ServerResponse,
): Promise<void> {
  const separator = separatorIn(language)
  const words = WORDS[language]
  const times = spreadsheetTimes(undefined)
  const line = (cells: string[]) => `${cells.join(separator)}\r\n`
  const { status, since, number, why } = words.columns

  function resultOf({ recipient, refusal, messageId, status: its, occurredAt, error }: TableLine): string[] {
    if (refusal !== null) {
      const { code, value } = rowRefusal.parse(JSON.parse(refusal))
      return ['', escaped(words.tableKinds.refused), '', escaped(say(words, `tableProblems.${code}`, { value }))]
    }
    const kind =
      messageId === null ? words.tableKinds.waiting : its === null ? words.tableKinds.removed : words.statuses[its]
    const to = recipient === null ? '' : /^\d+$/.test(recipient) ? asText(recipient) : escaped(recipient)
    const at = occurredAt === null ? '' : escaped(times.format(occurredAt))
    return [to, escaped(kind), at, error === null ? '' : escaped(say(words, `failures.${error.code}.message`))]
  }

  let after = 0
  await writePages(res, BOM + line([...columns, number, status, since, why].map(escaped)), async () => {
    const lines = await read(after, PAGE)
    after = lines.at(-1)?.row ?? after
    const text = lines.map((each) =>
      line([...columns.map((_name, at) => escaped(each.cells[at] ?? '')), ...resultOf(each)]),
    )
    return { text: text.join(''), more: lines.length === PAGE }
  })
}
