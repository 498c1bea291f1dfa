import { decidedText, instrumentResultRoutes } from '@lis/contract/instrument-results.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { Banner } from '../../ui/form/banner.tsx'

/** Somebody else has decided about the result that was open here. */
export const TakenNotice = ({ id }: { id: number }) => {
  const { data } = useQuery({ ...read(instrumentResultRoutes.result, { params: { id } }), staleTime: 0 })
  if (!data) return null
  const { testCode, instrumentCode, value, units, reqId, specimenId, state, decidedByName } = data.data
  const what = [`${testCode ?? instrumentCode} ${value}`, units].filter(Boolean).join(' ')
  return (
    <div style={{ flex: 'none', padding: '8px 16px' }}>
      <Banner type="warning">
        <b>
          {reqId === null ? `Specimen ${specimenId}` : `#${reqId}`}, {what}
        </b>
        : {decidedText(state, decidedByName)}. Choose the next one.
      </Banner>
    </div>
  )
}
