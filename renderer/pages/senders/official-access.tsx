import { Button, Collapse, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SenderView } from '../../../server/contract/senders.ts'
import { useUpdateSender } from '../../api/senders.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { NO_OFFICIAL_FIELDS, OfficialFields } from './official-fields.tsx'

interface OfficialAccessProps {
  code: string
  official: NonNullable<SenderView['official']>
}

/** Replaces ids and secrets; what stays empty stays as it is. */
export function OfficialAccess({ code, official }: OfficialAccessProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const update = useUpdateSender(code)
  const fieldErrors = useFieldErrors()
  const { phone_number_id, waba_id } = official
  const form = useForm({ initialValues: { ...NO_OFFICIAL_FIELDS, phone_number_id, waba_id } })

  const save = form.onSubmit((values) => {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    update.mutate(given, {
      onSuccess: () => notifications.show({ message: t('actions.saved') }),
      onError: (error) => form.setErrors(fieldErrors(error)),
    })
  })

  return (
    <div>
      <Button size="xs" variant="default" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t('senders.official.heading')}
      </Button>
      <Collapse expanded={open}>
        <form onSubmit={save}>
          <Stack mt="md">
            <OfficialFields form={form} stored />
            {update.error === null ? null : <ErrorState error={update.error} />}
            <Button type="submit" loading={update.isPending} style={{ alignSelf: 'flex-end' }}>
              {t('senders.official.save')}
            </Button>
          </Stack>
        </form>
      </Collapse>
    </div>
  )
}
