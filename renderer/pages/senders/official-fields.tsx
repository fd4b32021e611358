import { Anchor, PasswordInput, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import type { OfficialFields as Fields } from '../../../server/contract/official-senders.ts'

interface OfficialFieldsProps<Values extends Fields> {
  form: UseFormReturnType<Values>
  /** True if secrets are stored already. An empty input then keeps them. */
  stored?: boolean
}

const META_APPS = 'https://developers.facebook.com/apps'

export const NO_OFFICIAL_FIELDS: Fields = {
  phone_number_id: '',
  waba_id: '',
  access_token: '',
  app_secret: '',
  verify_token: '',
}

/** The five values that an official number needs from Meta's dashboard. */
export function OfficialFields<Values extends Fields>({ form, stored = false }: OfficialFieldsProps<Values>) {
  const { t } = useTranslation()
  const kept = stored ? { placeholder: t('senders.official.kept') } : { required: true }
  return (
    <Stack>
      <Anchor href={META_APPS} target="_blank" rel="noreferrer" size="sm">
        {t('senders.official.dashboard')}
      </Anchor>
      <TextInput
        label={t('senders.official.phoneNumberId')}
        description={t('senders.official.phoneIdHint')}
        required
        inputMode="numeric"
        {...form.getInputProps('phone_number_id')}
      />
      <TextInput
        label={t('senders.official.wabaId')}
        description={t('senders.official.wabaIdHint')}
        required
        inputMode="numeric"
        {...form.getInputProps('waba_id')}
      />
      <PasswordInput
        label={t('senders.official.accessToken')}
        description={t('senders.official.tokenHint')}
        {...kept}
        visibilityToggleButtonProps={{ 'aria-label': `${t('actions.show')}: ${t('senders.official.accessToken')}` }}
        {...form.getInputProps('access_token')}
      />
      <PasswordInput
        label={t('senders.official.appSecret')}
        description={t('senders.official.secretHint')}
        {...kept}
        visibilityToggleButtonProps={{ 'aria-label': `${t('actions.show')}: ${t('senders.official.appSecret')}` }}
        {...form.getInputProps('app_secret')}
      />
      <TextInput
        label={t('senders.official.verifyToken')}
        description={t('senders.official.verifyHint')}
        {...kept}
        {...form.getInputProps('verify_token')}
      />
    </Stack>
  )
}
