import { Alert, Anchor, Button, Group, List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SenderView } from '../../../../server/contract/senders.ts'
import type { CheckView } from '../../../../server/slices/tables/contract.ts'
import { say } from '../../../../server/words/say.ts'
import { useFormat } from '../../../hooks/use-format.ts'
import { useNow } from '../../../hooks/use-now.ts'
import { useWords } from '../../../hooks/use-words.ts'
import { NotReady } from './not-ready.tsx'

/** Items shown at once. The others are one click away. */
const FEW = 10

interface CheckResultProps {
  checked: CheckView
  rows: number
  sender: SenderView | undefined
  /** Checks again. True: numbers that lost their leading 0 get it back. */
  restoreZero: (restored: boolean) => void
}

/** Says how many rows can be sent, why others cannot, and when the last message leaves. */
export function CheckResult({ checked, rows, sender, restoreZero }: CheckResultProps) {
  const { t } = useTranslation()
  const { count, refused, restored, first_contacts, same_number, unknown_fields } = checked
  const lost = refused.zero_lost ?? 0
  return (
    <Stack gap="sm">
      <Text fw={600}>{t('tables.good', { count, rows })}</Text>
      {rows === count ? null : <LeftOut checked={checked} rows={rows} />}
      {lost === 0 ? null : (
        <Group gap="sm">
          <Button size="xs" variant="default" onClick={() => restoreZero(true)}>
            {t('tables.restore', { count: lost })}
          </Button>
        </Group>
      )}
      {restored === 0 ? null : (
        <Group gap="sm">
          <Text size="sm">{t('tables.restored', { count: restored })}</Text>
          <Button size="xs" variant="default" onClick={() => restoreZero(false)}>
            {t('tables.doNotRestore')}
          </Button>
        </Group>
      )}
      {same_number === 0 ? null : <Text size="sm">{t('tables.sameNumber', { count: same_number })}</Text>}
      {first_contacts === 0 ? null : <Text size="sm">{t('tables.firstContacts', { count: first_contacts })}</Text>}
      {count === 0 || unknown_fields.length > 0 || sender === undefined ? null : (
        <Pace checked={checked} sender={sender} />
      )}
    </Stack>
  )
}

function LeftOut({ checked: { refused_rows, count }, rows }: Pick<CheckResultProps, 'checked' | 'rows'>) {
  const { t } = useTranslation()
  const words = useWords()
  const all = rows - count
  return (
    <details open={all <= FEW}>
      <summary>{t('tables.leftOut', { count: all })}</summary>
      <List size="sm" mt="xs">
        {refused_rows.map(({ line, code, value }) => (
          <List.Item key={line} style={{ overflowWrap: 'anywhere' }}>
            {t('tables.line', { line: String(line), problem: say(words, `tableProblems.${code}`, { value }) })}
          </List.Item>
        ))}
      </List>
      {all > refused_rows.length ? (
        <Text size="sm" mt="xs">
          {t('tables.moreLeftOut', { count: all - refused_rows.length })}
        </Text>
      ) : null}
    </details>
  )
}

/** The pace of the sender and, while it is connected, when the last message leaves. */
function Pace({ checked: { ends_at, queue }, sender }: { checked: CheckView; sender: SenderView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const now = useNow(60_000)
  const { sender_code, pacing, daily_cap, quiet_hours, state } = sender
  const bounds = [
    ...(pacing.max_seconds === 0 ? [] : [t('tables.pause', { from: pacing.min_seconds, to: pacing.max_seconds })]),
    ...(daily_cap === null ? [] : [t('tables.cap', { count: daily_cap })]),
    ...(quiet_hours === null ? [] : [t('tables.quiet', quiet_hours)]),
    ...(queue === 0 ? [] : [t('tables.before', { count: queue })]),
  ]
  return (
    <>
      {ends_at === null ? (
        <Alert color="red" role="note" title={t('tables.tooLong')}>
          {t('tables.tooLongHint')}
        </Alert>
      ) : state === 'connected' ? (
        <Text>{t('tables.ends', { when: format.until(ends_at, now) })}</Text>
      ) : null}
      <Text size="sm" c="dimmed">
        {bounds.join(' · ')}{' '}
        <Anchor component={Link} href={`/senders?open=${sender_code}`} inherit underline="always">
          {t('tables.changePace')}
        </Anchor>
      </Text>
      {state === 'connected' ? null : <NotReady sender={sender} />}
    </>
  )
}
