import '@mantine/charts/styles.css'
import { CompositeChart } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Overview } from '../../api/overview.ts'

interface DaysChartProps {
  days: Overview['days']
}

const SERIES = ['sent', 'delivered', 'read', 'failed'] as const

/** Read lies within delivered and delivered within sent, so they are drawn as layers of one colour; failures stand apart. */
const LOOK = {
  sent: { color: 'ink.2', type: 'area' },
  delivered: { color: 'ink.4', type: 'area' },
  read: { color: 'ink.7', type: 'area' },
  failed: { color: 'var(--status-bad)', type: 'line' },
} as const

export default function DaysChart({ days }: DaysChartProps) {
  const { t, i18n } = useTranslation()
  const rows = days.map((one) => ({ ...one, day: dayName(one.day, i18n.language) }))
  return (
    <>
      <CompositeChart
        h={232}
        data={rows}
        dataKey="day"
        series={SERIES.map((name) => ({ name, label: t(`home.${name}`), ...LOOK[name] }))}
        curveType="monotone"
        withLegend
        withDots={false}
        gridAxis="x"
        tickLine="none"
        legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
        areaProps={{ fillOpacity: 0.35, isAnimationActive: false }}
        lineProps={{ isAnimationActive: false }}
        composedChartProps={{ accessibilityLayer: false }}
        aria-hidden="true"
      />
      <VisuallyHidden>
        <table>
          <caption>{t('home.chart')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('home.day')}</th>
              {SERIES.map((name) => (
                <th scope="col" key={name}>
                  {t(`home.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.day}>
                <th scope="row">{row.day}</th>
                {SERIES.map((name) => (
                  <td key={name}>{row[name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}

const dayName = (day: string, language: string) =>
  new Date(`${day}T12:00:00`).toLocaleDateString(language, { day: 'numeric', month: 'short' })
