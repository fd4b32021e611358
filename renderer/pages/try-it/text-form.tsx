import { Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { MESSAGE_MAX } from '../../../server/contract/send.ts'
import { useSend } from '../../api/send.ts'
import { useFieldErrors } from '../../hooks/use-field-errors.ts'
import { SendBar } from './send-bar.tsx'

interface TextFormProps {
  senderCode: string
  phone: string
}

export function TextForm({ senderCode: sender_code, phone }: TextFormProps) {
  const { t } = useTranslation()
  const send = useSend()
  const fieldErrors = useFieldErrors()
  const form = useForm({ initialValues: { message: t('tryIt.sample'), file: '', reference_id: '' } })
  const { message, file, reference_id } = form.values
  const body = {
    sender_code,
    phone,
    message,
    ...(file === '' ? {} : { file }),
    ...(reference_id === '' ? {} : { reference_id }),
  }

  return (
    <form onSubmit={form.onSubmit(() => send.mutate(body, { onError: (error) => form.setErrors(fieldErrors(error)) }))}>
      <Stack>
        <Textarea
          label={t('tryIt.message')}
          autosize
          minRows={3}
          maxRows={8}
          maxLength={MESSAGE_MAX}
          required={file === ''}
          {...form.getInputProps('message')}
        />
        <TextInput
          type="url"
          label={t('tryIt.file')}
          description={t('tryIt.fileHint')}
          {...form.getInputProps('file')}
        />
        <TextInput
          label={t('tryIt.reference')}
          description={t('tryIt.referenceHint')}
          maxLength={256}
          {...form.getInputProps('reference_id')}
        />
        <SendBar
          path="/send"
          body={body}
          ready={sender_code !== '' && phone.trim() !== ''}
          pending={send.isPending}
          error={send.error}
          sent={send.data === undefined ? null : `/messages?open=${send.data.data.id}`}
        />
      </Stack>
    </form>
  )
}
