import { Group, Select, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Status } from '../../../server/contract/messages.ts'
import type { SummaryView } from '../../../server/contract/summary.ts'
import { usePricing } from '../../api/official.ts'
import { useSettings } from '../../api/settings.ts'
import { useSummary } from '../../api/summary.ts'
import { ExportButton } from '../../components/message-log/export-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SenderBadge } from '../../components/sender-badge.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { hasLost, lastMonths, monthOf, monthSpan } from '../../model/months.ts'
import { Bill } from './bill.tsx'
import classes from './month.module.css'

/** Months in the menu. The address may name older ones. */
const OFFERED = 24
/** Statuses of messages that WhatsApp has acknowledged. */
const SENT: readonly Status[] = ['sent', 'delivered', 'read']
const WAITING: readonly Status[] = ['queued', 'sending']

/** A month in figures, and its export as a table. */
export default function Month() {
  const { t } = useTranslation()
  const format = useFormat()
  const [get, set] = useUrlState()
  const month = /^20\d{2}-(0[1-9]|1[0-2])$/.exec(get('month') ?? '')?.[0] ?? monthOf(Date.now())
  const days = useSettings().data?.retention_days ?? null
  const offered = lastMonths(Date.now(), OFFERED)
  const months = offered.includes(month) ? offered : [...offered, month]
  return (
    <>
      <PageHeader
        title={t('month.title')}
        tabs="messages"
        lead={t('month.lead')}
        action={
          <Group gap="sm">
            <Select
              aria-label={t('month.choose')}
              w={190}
              allowDeselect={false}
              data={months.map((value) => ({ value, label: format.month(value) }))}
              value={month}
              onChange={(value) => set({ month: value ?? undefined })}
            />
            <ExportButton filters={{ ...monthSpan(month), sandbox: 'without' }} period={month} />
          </Group>
        }
      />
      {days !== null && hasLost(month, Date.now(), days) ? (
        <Text size="sm" c="dimmed" mb="md">
          {t('month.deleted', { days })}
        </Text>
      ) : null}
      <QueryView query={useSummary(month)}>{(summary) => <Summary summary={summary} />}</QueryView>
      <Prices month={month} />
    </>
  )
}

function Summary({ summary }: { summary: SummaryView }) {
  const { t } = useTranslation()
  const { total, senders, reasons, days } = summary
  if (total === 0) return <Panel>{t('month.empty')}</Panel>
  return (
    <Stack gap="lg">
      <Panel>
        <Figures summary={summary} />
      </Panel>
      {reasons.length === 0 ? null : (
        <Panel title={t('month.reasons')}>
          <Table
            label={t('month.reasons')}
            heads={[t('messages.why'), t('month.count')]}
            rows={reasons.map(({ code, count }) => ({
              key: code,
              cells: [<span key="why">{t(`failures.${code}.message`)}</span>, count],
            }))}
          />
        </Panel>
      )}
      <Panel title={t('month.senders')}>
        <Table
          label={t('month.senders')}
          heads={[
            t('messages.sender'),
            t('month.all'),
            t('month.sent'),
            t('states.message.read'),
            t('states.message.failed'),
          ]}
          rows={senders.map(({ sender_code, channel, total: all, counts }) => ({
            key: `${sender_code} ${channel}`,
            cells: [
              <SenderBadge key="sender" code={sender_code} />,
              all,
              sumOf(counts, SENT),
              counts.read ?? 0,
              counts.failed ?? 0,
            ],
          }))}
        />
      </Panel>
      <Panel title={t('month.days')}>
        <Days days={days} />
      </Panel>
    </Stack>
  )
}

const sumOf = (counts: SummaryView['counts'], statuses: readonly Status[]): number =>
  statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)

/** The figures of a month. Each links to its messages. */
function Figures({ summary: { month, total, counts } }: { summary: SummaryView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const figures = [
    { label: t('month.all'), value: total, status: undefined },
    { label: t('month.sent'), value: sumOf(counts, SENT), status: SENT.join(',') },
    { label: t('states.message.read'), value: counts.read ?? 0, status: 'read' },
    { label: t('states.message.failed'), value: counts.failed ?? 0, status: 'failed' },
    ...[
      { label: t('states.message.cancelled'), value: counts.cancelled ?? 0, status: 'cancelled' },
      { label: t('states.message.queued'), value: sumOf(counts, WAITING), status: WAITING.join(',') },
      { label: t('states.message.accepted'), value: counts.accepted ?? 0, status: 'accepted' },
    ].filter(({ value }) => value > 0),
  ]
  return (
    <dl className={classes.figures}>
      {figures.map(({ label, value, status }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <Link href={`/messages?period=${month}${status === undefined ? '' : `&status=${status}`}`}>
              {format.number(value)}
            </Link>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Delivered messages as Meta bills them, by category and type. Empty if no sender is official. */
function Prices({ month }: { month: string }) {
  const { t } = useTranslation()
  const { rows = [], billable = 0, free = 0, prices = {} } = usePricing(month).data ?? {}
  if (rows.length === 0) return null
  return (
    <Stack mt="lg">
      <Panel title={t('month.prices')}>
        <Text size="sm" mb="sm">
          {t('month.billed', { billable, free })}
        </Text>
        <Table
          label={t('month.prices')}
          heads={[t('messages.sender'), t('messages.category'), t('month.type'), t('month.bills'), t('month.count')]}
          rows={rows.map(({ sender_code, category, type, billable: billed, pricing_model, count }) => ({
            key: [sender_code, category, type, billed, pricing_model].join(' '),
            cells: [
              <SenderBadge key="sender" code={sender_code} />,
              <span key="category">{category ?? t('words.none')}</span>,
              <span key="type">{type ?? t('words.none')}</span>,
              <span key="billed">{billed === null ? t('words.none') : billed ? t('words.yes') : t('words.no')}</span>,
              count,
            ],
          }))}
        />
        <Bill rows={rows} prices={prices} />
      </Panel>
    </Stack>
  )
}

interface TableProps {
  label: string
  heads: string[]
  rows: { key: string; cells: (React.ReactNode | number)[] }[]
}

function Table({ label, heads, rows }: TableProps) {
  const format = useFormat()
  return (
    // The keyboard must be able to scroll a table that is wider than the page.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to have the focus
    <div className={classes.scroller} tabIndex={0}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, index) => (
                <td key={heads[index]}>{typeof cell === 'number' ? format.number(cell) : cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** One bar per day with the failed part on top, and its figures as text. */
function Days({ days }: { days: SummaryView['days'] }) {
  const { t } = useTranslation()
  const format = useFormat()
  const most = Math.max(4, ...days.map(({ total }) => total))
  const now = Date.now()
  return (
    <ul className={classes.days}>
      {days
        .filter(({ day }) => new Date(`${day}T00:00`).getTime() <= now)
        .map(({ day, total, failed }) => (
          <li key={day}>
            <Text component="span" size="sm">
              {format.weekday(`${day}T12:00:00`, now)}
            </Text>
            <span className={classes.bar} aria-hidden="true">
              <span className={classes.good} style={{ width: `${(100 * (total - failed)) / most}%` }} />
              <span className={classes.bad} style={{ width: `${(100 * failed) / most}%` }} />
            </span>
            <Text component="span" size="sm">
              {total === 0 ? t('words.none') : format.number(total)}
              {failed === 0 ? null : (
                <>
                  {' · '}
                  <b className={classes.failed}>{t('month.failedOfDay', { count: failed })}</b>
                </>
              )}
            </Text>
          </li>
        ))}
    </ul>
  )
}
