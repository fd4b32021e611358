import { useTranslation } from 'react-i18next'
import classes from './table.module.css'

interface FirstRowsProps {
  columns: string[]
  rows: string[][]
  /** Name of the column with the numbers. */
  chosen: string | null
}

/** The first rows of a table, as Kurir reads them. */
export function FirstRows({ columns, rows, chosen }: FirstRowsProps) {
  const { t } = useTranslation()
  const mark = (name: string) => (name === chosen ? { 'data-chosen': true } : {})
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, so the keyboard must reach it
    <section className={classes.cells} aria-label={t('tables.firstRows')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" title={name} {...mark(name)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a table that stays as it is
            <tr key={row}>
              {columns.map((name, at) => (
                <td key={name} title={cells[at]} {...mark(name)}>
                  {cells[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
