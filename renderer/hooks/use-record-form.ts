import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { type FormEventHandler, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { bothChanged, changedFields, rebased } from '../model/changed-fields.ts'
import { useLeaveGuard } from './leave-guard.ts'
import { useFieldText, useRefusals } from './use-field-text.ts'

interface RecordFormOptions<Values> {
  /** The saved record, by the contract's names. Unedited fields follow its changes elsewhere. */
  saved: Values
  /** Checks the values before they are sent. Default: the server alone checks them. */
  schema?: z.ZodType
}

interface Then {
  onSuccess: () => void
  onError: (error: Error) => void
}

export interface RecordForm<Values> {
  form: UseFormReturnType<Values>
  edited: boolean
  /** Shows the server's refusals beside the inputs. */
  refuse: (error: Error) => void
  /** Makes the form's `onSubmit`: sends only the changed fields, then says that they are saved. */
  onSave: (send: (changes: Partial<Values>, then: Then) => void) => FormEventHandler<HTMLFormElement>
  /** Ends the question before leaving an edited form, for a step that leaves after saving. */
  release: () => void
}

/** A form over fields of the contract, checked by the contract's schema. */
export function useRecordForm<Values extends object>({ saved, schema }: RecordFormOptions<Values>): RecordForm<Values> {
  const { t } = useTranslation()
  const fieldText = useFieldText()
  const refusals = useRefusals()
  const form = useForm<Values>({
    initialValues: saved,
    validate: (values) =>
      Object.fromEntries(
        Object.keys(schema === undefined ? {} : schemaResolver(schema, { sync: true })(values)).map((field) => [
          field,
          fieldText(field),
        ]),
      ),
  })
  const before = useRef(saved)

  useEffect(() => {
    if (Object.keys(changedFields(before.current, saved)).length === 0) return
    const typed = form.getValues()
    const overwritten = bothChanged(before.current, saved, typed)
    form.setValues(rebased(before.current, saved, typed))
    before.current = saved
    for (const field of overwritten) form.setFieldError(field, t('errors.savedMeanwhile'))
  }, [saved, form.getValues, form.setValues, form.setFieldError, t])

  const changes = changedFields(saved, form.values)
  const edited = Object.keys(changes).length > 0
  const refuse = (error: Error) => form.setErrors(refusals(error))

  function accept(sent: Values) {
    // Then the effect above brings the server's values into all fields that were not edited since.
    before.current = sent
    notifications.show({ message: t('actions.saved') })
  }

  return {
    form,
    edited,
    refuse,
    onSave: (send) => form.onSubmit((sent) => send(changes, { onSuccess: () => accept(sent), onError: refuse })),
    release: useLeaveGuard(edited, 'unsaved'),
  }
}
