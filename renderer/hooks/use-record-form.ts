import { schemaResolver, type UseFormReturnType, useForm } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { z } from 'zod'
import { changedFields, rebased } from '../model/changed-fields.ts'
import { useLeaveGuard } from './leave-guard.ts'
import { useFieldText, useRefusals } from './use-field-text.ts'

interface RecordFormOptions<Values> {
  /** By the names of the contract. What is saved now; fields that were not edited follow when it changes elsewhere. */
  saved: Values
  /** Checks the values before they are sent. */
  schema: z.ZodType
}

export interface RecordForm<Values> {
  form: UseFormReturnType<Values>
  /** The fields that differ from what is saved: all that is sent. */
  changes: Partial<Values>
  edited: boolean
  /** Shows what the server refused beside the inputs. */
  refuse: (error: Error) => void
  /** What was sent is saved: the fields take the values as the server keeps them. */
  accept: () => void
  /** Leaving asks while something is edited; this ends it, for a step that leaves after saving. */
  release: () => void
}

/** A form over fields of the contract, checked by the contract's schema. */
export function useRecordForm<Values extends object>({ saved, schema }: RecordFormOptions<Values>): RecordForm<Values> {
  const fieldText = useFieldText()
  const refusals = useRefusals()
  const form = useForm<Values>({
    initialValues: saved,
    validate: (values) =>
      Object.fromEntries(
        Object.keys(schemaResolver(schema, { sync: true })(values)).map((field) => [field, fieldText(field)]),
      ),
  })
  const before = useRef(saved)

  useEffect(() => {
    if (Object.keys(changedFields(before.current, saved)).length === 0) return
    const values = rebased(before.current, saved, form.getValues())
    before.current = saved
    form.setValues(values)
  }, [saved, form.getValues, form.setValues])

  const changes = changedFields(saved, form.values)
  const edited = Object.keys(changes).length > 0
  return {
    form,
    changes,
    edited,
    refuse: (error) => form.setErrors(refusals(error)),
    accept: () => {
      before.current = form.getValues()
    },
    release: useLeaveGuard(edited, 'unsaved'),
  }
}
