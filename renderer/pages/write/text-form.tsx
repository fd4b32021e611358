import { Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { MESSAGE_MAX } from '../../../server/contract/send.ts'
import { useSend } from '../../api/send.ts'
import { useRefusals } from '../../hooks/use-field-text.ts'
import { Addressing, type Recipient } from './addressing.tsx'
import { SendBar } from './send-bar.tsx'

export function TextForm({ to }: { to: Recipient }) {
  const { t } = useTranslation()
  const send = useSend()
  const refusals = useRefusals()
  const form = useForm({ initialValues: { message: t('tryIt.sample'), file: '', reference_id: '' } })
  const { message, file, reference_id } = form.values
  const sender_code = to.sender?.sender_code ?? ''
  const sentId = send.data?.data.id
  const body = {
    sender_code,
    phone: to.phone,
    message,
    ...(file === '' ? {} : { file }),
    ...(reference_id === '' ? {} : { reference_id }),
  }

  return (
    <form
      noValidate
      onSubmit={form.onSubmit(() => send.mutate(body, { onError: (error) => form.setErrors(refusals(error)) }))}
    >
      <Stack>
        <Addressing to={to} error={form.errors.phone} />
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
          ready={sender_code !== '' && to.phone.trim() !== ''}
          pending={send.isPending}
          error={send.error}
          sent={
            sentId === undefined ? null : { id: sentId, href: `/messages?sender_code=${sender_code}&open=${sentId}` }
          }
        />
      </Stack>
    </form>
  )
}
