import { Button, Group, Stepper, VisuallyHidden } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import { useSenders } from '../../api/senders.ts'
import { useUpdateSettings } from '../../api/settings.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { LanguageMenu } from '../../components/navigation/preferences.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { useNarrow } from '../../hooks/use-narrow.ts'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { KeyStep } from './key-step.tsx'
import { LinkStep } from './link-step.tsx'
import { SandboxStep } from './sandbox-step.tsx'

const STEPS = ['sandbox', 'link', 'key'] as const
const CONTENT = { sandbox: SandboxStep, link: LinkStep, key: KeyStep }

/**
 * The first run: see a message arrive, link a number, connect a program. Every step can be skipped.
 */
export default function Welcome() {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const narrow = useNarrow()
  const settings = useUpdateSettings()
  const [get, set] = useUrlState()
  const step = STEPS.find((one) => one === get('step')) ?? 'sandbox'
  const at = STEPS.indexOf(step)
  const Content = CONTENT[step]
  const go = (to: number) => set({ step: STEPS[to] })
  const senders = useSenders().data ?? []
  const isLinked = senders.some(({ kind, state }) => kind === 'linked' && state === 'connected')
  const finish = () => settings.mutate({ onboarded: true }, { onSuccess: () => navigate('/') })

  return (
    <>
      <PageHeader
        title={t('welcome.title')}
        lead={t('welcome.lead')}
        action={
          <Group gap="sm">
            <LanguageMenu />
            <Button variant="subtle" component={Link} href="/settings#backup">
              {t('backup.have')}
            </Button>
            <Button variant="subtle" onClick={finish}>
              {t('welcome.skip')}
            </Button>
          </Group>
        }
      />
      <Stepper active={at} onStepClick={go} size="sm" mb="lg" wrap={false}>
        {STEPS.map((one, place) => (
          <Stepper.Step
            key={one}
            // Going on does not link a number, so the step gets no check mark then.
            {...(one === 'link' && !isLinked ? { completedIcon: place + 1 } : {})}
            label={<StepTitle title={t(`welcome.steps.${one}`)} hidden={narrow && one !== step} />}
          />
        ))}
      </Stepper>
      <Panel>
        <Content />
      </Panel>
      <Group justify="space-between" mt="md">
        <Button variant="default" disabled={at === 0} onClick={() => go(at - 1)}>
          {t('actions.back')}
        </Button>
        {at === STEPS.length - 1 ? (
          <BusyButton busy={settings.isPending} onClick={finish}>
            {t('welcome.finish')}
          </BusyButton>
        ) : (
          // Not filled, because the step itself has the filled button.
          <Button variant="default" onClick={() => go(at + 1)}>
            {t('actions.next')}
          </Button>
        )}
      </Group>
    </>
  )
}

/** The title of a step. A phone shows only the present step's; screen readers get all. */
const StepTitle = ({ title, hidden }: { title: string; hidden: boolean }) =>
  hidden ? <VisuallyHidden>{title}</VisuallyHidden> : title
