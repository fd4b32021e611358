import { Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useChat } from '../../api/messages.ts'
import { useLastTo } from '../../api/recipients.ts'
import { useSenders } from '../../api/senders.ts'
import { useTemplates } from '../../api/templates.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Phone } from '../../components/phone/phone.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useUrlState } from '../../hooks/use-url-state.ts'
import { countryFor, typedPhone } from '../../model/phone.ts'
import { KindChoice, useKind } from './kind-choice.tsx'
import { NewTable } from './table/new-table.tsx'
import { TemplateForm } from './template-form.tsx'
import { TextForm } from './text-form.tsx'
import { usualSender } from './usual-sender.ts'
import classes from './write.module.css'

const SENDERS_OF = { text: ['linked', 'sandbox'], template: ['official', 'sandbox'] }
const EXAMPLE_PHONE = '62 812 3456 7890'

/** Composes a message at the left, with the customer's phone at the right, or takes a table. */
export default function Write() {
  const { t } = useTranslation()
  const kind = useKind()
  const senders = useSenders()
  return (
    <>
      <PageHeader title={t('write.title')} lead={t('write.lead')} />
      {kind === 'table' ? (
        <NewTable />
      ) : (
        <QueryView query={senders}>{(all) => <Composer kind={kind} senders={all} />}</QueryView>
      )}
    </>
  )
}

interface ComposerProps {
  kind: 'text' | 'template'
  senders: SenderView[]
}

function Composer({ kind, senders }: ComposerProps) {
  const { t, i18n } = useTranslation()
  const [get, set] = useUrlState()
  const choices = SENDERS_OF[kind].flatMap((wanted) => senders.filter((one) => one.kind === wanted))
  const wanted = get('sender')
  const chosen = choices.find((one) => one.sender_code === wanted)
  const isGone = wanted !== undefined && !senders.some((one) => one.sender_code === wanted)
  const [typed, setTyped] = useState<string | null>(null)
  const [toGroup, setGroup] = useState<string | null>(null)
  const [draft, setDraft] = useState<ReactNode>(null)
  const shown = typed ?? get('phone') ?? (chosen?.kind === 'sandbox' ? EXAMPLE_PHONE : '')
  const phone = typedPhone(shown, countryFor(chosen, senders, i18n.language))
  const last = useLastTo(phone).data?.sender_code
  // If the chosen sender was deleted, the owner must choose: no other sender replaces it.
  const sender = chosen ?? (isGone ? undefined : usualSender(choices, last))
  const code = sender?.sender_code ?? ''
  const group = kind === 'text' ? toGroup : null
  const messages = useChat(code, group ?? (/^\d+$/.test(phone) ? phone : ''))
  const templates = useTemplates(code, sender?.kind === 'official').data ?? []
  const to = {
    choices,
    sender,
    isGone,
    choose: (sender_code: string) => {
      set({ sender: sender_code })
      // The chosen group belonged to the previous sender.
      if (toGroup !== null) setGroup('')
    },
    typed: shown,
    phone,
    setTyped,
    group,
    setGroup,
  }

  return (
    <div className={classes.sides}>
      <Panel>
        <Stack>
          <KindChoice />
          {kind === 'text' ? (
            <TextForm to={to} showDraft={setDraft} />
          ) : (
            <TemplateForm key={code} to={to} templates={templates} showDraft={setDraft} />
          )}
        </Stack>
      </Panel>
      <div className={classes.phone}>
        <Phone
          from={sender?.name ?? 'Kurir'}
          messages={messages}
          templates={templates}
          draft={
            draft === null ? null : (
              <section className={classes.draft} aria-label={t('write.preview')}>
                {draft}
              </section>
            )
          }
        />
      </div>
    </div>
  )
}
