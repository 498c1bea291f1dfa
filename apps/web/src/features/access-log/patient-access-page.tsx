import { type AccessLogEntry, accessLogRoutes } from '@lis/contract/access-log.ts'
import { useParams } from 'react-router'
import { queryClient } from '../../lib/query.ts'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { accessLogColumns, accessLogFilters } from './access-log-columns.tsx'

// Read again at every visit: a call made a moment ago must be included.
queryClient.setQueryDefaults([accessLogRoutes.ofPatient.path], { staleTime: 0 })

const nameOf = ({ userName, method, route }: AccessLogEntry) => `${userName}: ${method} ${route}`

/** Every call that returned data of one patient, and who made it. */
export const PatientAccessPage = () => {
  const id = Number(useParams().id)
  return (
    <ListPage
      title="Who has seen this patient?"
      screen="patient-access"
      itemName="access"
      route={accessLogRoutes.ofPatient}
      params={{ id }}
      exportRoute={accessLogRoutes.export}
      columns={accessLogColumns}
      filters={accessLogFilters}
      rowName={nameOf}
    />
  )
}
