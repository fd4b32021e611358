import { Button, Collapse, Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { officialFields } from '../../../server/contract/official-senders.ts'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useUpdateSender } from '../../api/senders.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { useRecordForm } from '../../hooks/use-record-form.ts'
import { NO_OFFICIAL_FIELDS, OfficialFields } from './official-fields.tsx'

interface OfficialAccessProps {
  code: string
  official: NonNullable<SenderView['official']>
  /** Label of the button if a concern asks for this form. Null: the usual label. */
  wanted: string | null
}

/** Secrets are not checked here, because an empty one is not sent. */
const schema = officialFields.pick({ phone_number_id: true, waba_id: true })

/** Replaces ids and secrets. A secret that stays empty is not changed. */
export function OfficialAccess({ code, official, wanted }: OfficialAccessProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const update = useUpdateSender(code)
  const { form, edited, onSave } = useRecordForm({
    saved: {
      ...NO_OFFICIAL_FIELDS,
      phone_number_id: official.phone_number_id,
      waba_id: official.waba_id,
    },
    schema,
  })

  return (
    // The button stands beside others. When open, the form needs a line of its own.
    <div style={open ? { width: '100%' } : undefined}>
      <Button
        size="xs"
        variant={wanted === null ? 'default' : 'filled'}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {wanted ?? t('senders.official.heading')}
      </Button>
      <Collapse expanded={open}>
        <form onSubmit={onSave(update.mutate)} noValidate>
          <Stack mt="md">
            <OfficialFields form={form} stored />
            {update.error === null ? null : <ErrorState error={update.error} marked={form.values} />}
            <BusyButton type="submit" busy={update.isPending} disabled={!edited} style={{ alignSelf: 'flex-end' }}>
              {t('senders.official.save')}
            </BusyButton>
          </Stack>
        </form>
      </Collapse>
    </div>
  )
}
