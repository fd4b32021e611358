import { useTranslation } from 'react-i18next'
import { PageHeader } from '../../components/page-header.tsx'

export default function Messages() {
  const { t } = useTranslation()
  return <PageHeader title={t('rail.messages')} />
}
