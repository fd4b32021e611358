import { Button, Code, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { RefusedCall, RefusedGroup } from '../../../server/slices/refused-calls/contract.ts'
import { useKeys } from '../../api/keys.ts'
import { useMarkSeen, useRefusedCalls } from '../../api/refused-calls.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { PhoneNumber } from '../../components/phone-number.tsx'
import { Section } from '../../components/section.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { useWords } from '../../hooks/use-words.ts'
import { isBlocked, statusOf, useSentence, useWhat } from './group-words.ts'

/** One mistake of one caller: the change that its program needs, and its last calls. */
export function GroupDrawer({ group, ...frame }: DrawerFrame & { group: RefusedGroup }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { id, code, method, path, field, here, address, program, looks_like, times, since, at, seen } = group
  const advice = useWords().refusals[code]
  const whatOf = useWhat()
  const sentence = useSentence()(code)
  const mark = useMarkSeen()
  const mayBeLetIn = looks_like !== null && here
  return (
    <Drawer {...frame} title={looks_like === null ? sentence : whatOf(group)}>
      <Stack gap="lg">
        <Section title={t('refusedCalls.advice')}>
          {mayBeLetIn ? (
            <Button
              component={Link}
              href={`/?program=${encodeURIComponent(looks_like)}`}
              style={{ alignSelf: 'start' }}
            >
              {looks_like === 'Kurir' ? t('refusedCalls.showRight') : t('refusedCalls.letIn')}
            </Button>
          ) : (
            <Text>{advice}</Text>
          )}
          {isBlocked(group) ? <Text size="sm">{t('refusedCalls.blocked')}</Text> : null}
        </Section>
        <Facts
          facts={[
            [t('refusedCalls.times'), t('refusedCalls.timesSince', { count: times, since: format.exact(since) })],
            [t('refusedCalls.last'), format.exact(at)],
            [t('refusedCalls.call'), <Code key="call">{`${method} ${path}`}</Code>],
            [t('refusedCalls.answer'), <Code key="answer">{`${statusOf(group)} ${code}`}</Code>],
            [t('refusedCalls.field'), field],
            [t('refusedCalls.key'), <KeyOf key="key" group={group} />],
            [t('refusedCalls.program'), program],
            [t('refusedCalls.from'), here ? t('refusedCalls.here') : address],
          ]}
        />
        <LastCalls group={id} />
        {mark.error === null ? null : <ErrorState error={mark.error} />}
        {seen ? null : (
          <BusyButton
            variant="default"
            busy={mark.isPending}
            onClick={() => mark.mutate(id)}
            style={{ alignSelf: 'start' }}
          >
            {t('refusedCalls.seen')}
          </BusyButton>
        )}
      </Stack>
    </Drawer>
  )
}

/** Names the key, or shows its end. By that end it also finds a revoked or expired key. */
function KeyOf({ group: { key, hint } }: { group: RefusedGroup }) {
  const { t } = useTranslation()
  const former = useKeys().data?.find((each) => key === null && each.hint === hint)
  if (hint === null) return <>{t('refusedCalls.noKey')}</>
  if (key !== null) return <>{t('refusedCalls.keyEnds', { name: key, hint })}</>
  return (
    <>
      {t('refusedCalls.unknownKey', { hint })}
      {former === undefined ? null : ` ${t('refusedCalls.formerKey', { name: former.name })}`}
    </>
  )
}

/** The last calls that named a recipient. The others add nothing to their number. */
function LastCalls({ group }: { group: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const calls = useRefusedCalls(group).data?.filter(isForSomebody) ?? []
  if (calls.length === 0) return null
  return (
    <Section title={t('refusedCalls.calls')}>
      <Stack gap={4}>
        {calls.map(({ id, at, recipient }) => (
          <Text key={id} size="sm">
            {format.exact(at)} · <PhoneNumber digits={recipient} />
          </Text>
        ))}
      </Stack>
    </Section>
  )
}

const isForSomebody = (call: RefusedCall): call is RefusedCall & { recipient: string } => call.recipient !== null
