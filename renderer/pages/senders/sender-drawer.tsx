import { Anchor, Divider, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { ConcernAction } from '../../../server/contract/concerns.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { Section } from '../../components/section.tsx'
import { useConcernWords, useSenderConcern } from '../../hooks/use-concerns.ts'
import { OfficialAccess } from './official-access.tsx'
import { OfficialChecks } from './official-checks.tsx'
import { OfficialTools } from './official-tools.tsx'
import { SecondRoad } from './second-road.tsx'
import { SenderDanger } from './sender-danger.tsx'
import { SenderForm } from './sender-form.tsx'
import { SenderGroups } from './sender-groups.tsx'
import { SenderStatus } from './sender-status.tsx'

/** Actions of concerns that are solved by entering tokens, secrets or ids. */
const ACCESS: ReadonlySet<ConcernAction> = new Set(['enter_token', 'enter_secret', 'correct_ids'])

/** Scrolls to the sender's pace if the address says so, as that of a button on Home does. */
const toPace = (part: HTMLElement | null) => {
  if (location.hash === '#pace') part?.scrollIntoView()
}

interface SenderDrawerProps extends DrawerFrame {
  sender: SenderView
}

export function SenderDrawer({ sender, ...frame }: SenderDrawerProps) {
  const { t } = useTranslation()
  const official = sender.official
  const words = useConcernWords()
  const concern = useSenderConcern(sender.sender_code)
  const wanted = concern?.action != null && ACCESS.has(concern.action) ? words(concern).button : null
  const access =
    official === null ? null : <OfficialAccess code={sender.sender_code} official={official} wanted={wanted} />
  return (
    <Drawer {...frame} title={sender.name}>
      <Stack gap="lg">
        <SenderStatus sender={sender} help={wanted === null ? null : access} />
        {official === null ? null : (
          <>
            <Divider />
            {wanted === null ? access : null}
            <OfficialChecks official={official} />
            <OfficialTools code={sender.sender_code} unregistered={sender.reason === 'not_registered'} />
          </>
        )}
        <Divider />
        <div id="pace" ref={toPace}>
          <Section title={official === null ? t('senders.form.heading') : t('senders.form.headingOfficial')}>
            <SenderForm sender={sender} />
          </Section>
        </div>
        {sender.kind === 'linked' ? (
          <>
            <Divider />
            <Section title={t('senders.road.title')}>
              <SecondRoad key={sender.sender_code} sender={sender} />
            </Section>
          </>
        ) : null}
        {sender.kind === 'official' ? null : (
          <>
            <Divider />
            <Section title={t('senders.groups.title')}>
              <SenderGroups code={sender.sender_code} />
            </Section>
          </>
        )}
        <Divider />
        {sender.kind === 'sandbox' ? null : (
          <Anchor component={Link} href="/help" size="sm">
            {t('help.open')}
          </Anchor>
        )}
        <SenderDanger sender={sender} />
      </Stack>
    </Drawer>
  )
}
