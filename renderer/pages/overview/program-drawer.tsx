import { Code, Group, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { KeyView } from '../../../server/contract/access.ts'
import type { KnownProgram } from '../../../server/slices/refused-calls/contract.ts'
import { useCreateKey, useKeys } from '../../api/keys.ts'
import { useDecide, useKnownPrograms } from '../../api/refused-calls.ts'
import { useSenders } from '../../api/senders.ts'
import { useSettings } from '../../api/settings.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Drawer } from '../../components/drawer.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { SecretOnce } from '../../components/secret-once.tsx'
import { Section } from '../../components/section.tsx'
import { useFormat } from '../../hooks/use-format.ts'
import { keyState } from '../../model/key-state.ts'

/** Name for programs that were written for Kurir itself, and call it nearly right. */
const SLIP = 'Kurir'

interface ProgramDrawerProps {
  name: string
  onClose: () => void
}

/**
 * The drawer of a program that was written for another gateway. The owner lets it in, with a key
 * and an address, or leaves it out.
 */
export default function ProgramDrawer({ name, onClose }: ProgramDrawerProps) {
  const { t } = useTranslation()
  const programs = useKnownPrograms()
  const title = name === SLIP ? t('programs.titleSlip') : t('programs.title', { name })
  return (
    <Drawer title={title} onClose={onClose}>
      <QueryView query={programs}>
        {(all) => {
          const program = all.find((each) => each.name === name)
          return program === undefined ? (
            <Text>{t('programs.gone')}</Text>
          ) : (
            <Program program={program} onClose={onClose} />
          )
        }}
      </QueryView>
    </Drawer>
  )
}

/** The key that the owner made (`made`) or chose (`mine`) for the program. */
type Given = { made: KeyView & { key: string } } | { mine: KeyView }

function Program({ program, onClose }: { program: KnownProgram; onClose: () => void }) {
  const { t } = useTranslation()
  const decide = useDecide(program.name)
  const [given, setGiven] = useState<Given>()
  const { name, mouth } = program
  if (given !== undefined) return <Steps program={program} given={given} />
  const isSlip = name === SLIP
  return (
    <Stack gap="lg">
      <Shape program={program} />
      {mouth === null && !isSlip ? (
        <Text>{t('programs.noMouth', { name })}</Text>
      ) : (
        <>
          <Text>{isSlip ? t('programs.leadSlip') : t('programs.lead', { name })}</Text>
          <KeyChoice program={program} decide={decide} onGiven={setGiven} />
        </>
      )}
      {decide.error === null ? null : <ErrorState error={decide.error} />}
      <Stack gap={4} align="flex-start">
        <BusyButton
          variant="default"
          busy={decide.isPending && decide.variables === 'dismiss'}
          onClick={() => decide.mutate('dismiss', { onSuccess: onClose })}
        >
          {t('programs.leaveOut')}
        </BusyButton>
        <Text size="xs" c="dimmed">
          {t('programs.leaveOutHint')}
        </Text>
      </Stack>
    </Stack>
  )
}

function Shape({ program: { method, path, times, since, hint, program } }: { program: KnownProgram }) {
  const { t } = useTranslation()
  const format = useFormat()
  return (
    <Facts
      facts={[
        [t('programs.calls'), <Code key="call">{`${method} ${path}`}</Code>],
        [t('programs.times'), t('programs.timesSince', { count: times, since: format.exact(since) })],
        [t('programs.key'), hint === null ? null : <Code key="hint">…{hint}</Code>],
        [t('programs.program'), program],
      ]}
    />
  )
}

interface KeyChoiceProps {
  program: KnownProgram
  decide: ReturnType<typeof useDecide>
  onGiven: (given: Given) => void
}

/** The sandbox is the first choice, so that the program can rehearse before messages leave. */
function KeyChoice({ program: { name }, decide, onGiven }: KeyChoiceProps) {
  const { t } = useTranslation()
  const create = useCreateKey()
  const all = useSenders().data
  const senders = all?.filter(({ kind }) => kind !== 'official') ?? []
  const ordered = senders.toSorted((a, b) => Number(b.kind === 'sandbox') - Number(a.kind === 'sandbox'))
  const keys = useKeys().data?.filter((key) => keyState(key, Date.now(), all) === 'valid') ?? []
  const choices = [
    ...ordered.map((sender) => ({
      value: `new ${sender.sender_code}`,
      label: t('programs.newFor', { name: sender.name }),
    })),
    ...keys.map((key) => ({ value: key.id, label: t('programs.mine', { name: key.name, hint: key.hint }) })),
  ]
  const [chosen, setChosen] = useState<string | null>(null)
  const choice = chosen ?? choices[0]?.value ?? null

  async function letIn() {
    const mine = keys.find(({ id }) => id === choice)
    const sender_code = choice?.replace(/^new /, '')
    if (sender_code === undefined) return
    // The program is let in first. If this fails, no key is made that is shown only once.
    await decide.mutateAsync('let_in')
    if (mine !== undefined) return onGiven({ mine })
    onGiven({ made: await create.mutateAsync({ kind: 'device', name, sender_code }) })
  }

  return (
    <Stack align="flex-start">
      <Select
        label={t('programs.keyFor')}
        description={t('programs.keyForHint')}
        allowDeselect={false}
        data={choices}
        value={choice}
        onChange={setChosen}
        w="100%"
      />
      {create.error === null ? null : <ErrorState error={create.error} />}
      <BusyButton
        busy={create.isPending || (decide.isPending && decide.variables === 'let_in')}
        onClick={() => void letIn().catch(() => undefined)}
      >
        {name === SLIP ? t('programs.makeKey') : t('programs.letIn')}
      </BusyButton>
    </Stack>
  )
}

interface StepsProps {
  program: KnownProgram
  given: Given
}

/** Shows the two changes to make in the program: its key and its address. */
function Steps({ program: { name, mouth }, given }: StepsProps) {
  const { t } = useTranslation()
  const base = useSettings().data?.api_url ?? location.origin
  const address = base + (mouth?.path ?? '/send')
  return (
    <Section title={t('programs.isIn')}>
      {'made' in given ? (
        <SecretOnce title={t('programs.keyOnce')} hint={t('programs.keyOnceHint')} value={given.made.key} />
      ) : (
        <Text>{t('programs.keyMine', { name: given.mine.name })}</Text>
      )}
      <Text fw={600}>{t('programs.address')}</Text>
      <Group gap="sm">
        <Code>{address}</Code>
        <CopyButton value={address} label={t('programs.copyAddress')} />
      </Group>
      <Text size="sm">{name === SLIP ? t('programs.right') : t('programs.addressHint', { name })}</Text>
      <Text size="sm">
        {t('programs.look')} {t('programs.live')}
      </Text>
    </Section>
  )
}
