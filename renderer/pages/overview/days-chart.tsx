import { Text, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Figures } from '../../api/overview.ts'
import { useFormat } from '../../hooks/use-format.ts'
import { type Day, daysSummary, scaleOf } from '../../model/days.ts'
import classes from './days-chart.module.css'

interface DaysChartProps {
  days: Figures['days']
}

const COLUMNS = ['sent', 'delivered', 'read', 'failed'] as const

/** The sum of the chart, in a sentence. */
export function DaysSentence({ days }: DaysChartProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { sent, readShare, failed } = daysSummary(days)
  return (
    <Text>
      {sent + failed === 0
        ? t('home.chartEmpty')
        : t('home.chartWords', { sent, read: format.percent(readShare), failed })}
    </Text>
  )
}

/** One bar per day. Failed messages are red, on top. */
export function DaysChart({ days }: DaysChartProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const scale = scaleOf(days)
  return (
    <>
      <div className={classes.chart} aria-hidden="true">
        {days.map((day) => (
          <Bar key={day.day} day={day} scale={scale} />
        ))}
      </div>
      <VisuallyHidden>
        <table>
          <caption>{t('home.chart')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('home.day')}</th>
              {COLUMNS.map((name) => (
                <th scope="col" key={name}>
                  {t(`home.figures.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.day}>
                <th scope="row">{format.date(noonOf(day))}</th>
                {COLUMNS.map((name) => (
                  <td key={name}>{format.number(day[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}

interface BarProps {
  day: Day
  /** Messages of a bar of full height. */
  scale: number
}

function Bar({ day, scale }: BarProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { sent, failed } = day
  const percent = (count: number) => `${(count / scale) * 100}%`
  const figures = COLUMNS.map((name) => `${t(`home.figures.${name}`)} ${format.number(day[name])}`).join(' · ')
  return (
    <div className={classes.day} title={`${format.date(noonOf(day))}: ${figures}`}>
      <div className={classes.bar}>
        <span className={classes.count}>
          <span className={classes.total}>{sent + failed === 0 ? '' : format.number(sent + failed)}</span>
          {failed === 0 ? null : <b>{format.number(failed)}</b>}
        </span>
        <span className={classes.failed} style={{ height: percent(failed) }} />
        <span className={classes.sent} style={{ height: percent(sent) }} />
      </div>
      <span className={classes.label}>{format.shortDate(noonOf(day))}</span>
    </div>
  )
}

/** Noon of the day in the browser's time zone: without a zone, a date alone would be UTC. */
const noonOf = ({ day }: Day) => `${day}T12:00:00`
