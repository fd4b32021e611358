import { useTranslation } from 'react-i18next'
import { CustomerSearch } from '../../components/customer-search.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'

export default function Customers() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('customers.title')} tabs="customers" lead={t('customers.lead')} />
      <Panel>
        <CustomerSearch />
      </Panel>
    </>
  )
}
