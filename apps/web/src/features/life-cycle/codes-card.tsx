import { can } from '@lis/contract/access/permissions.ts'
import type { LookupName } from '@lis/contract/lookups.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import { requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { call } from '../../lib/api.ts'
import { idsIn, isSameIds, namesOf, ofRequisitions } from '../../lib/code-ids.ts'
import type { LookupParams } from '../../lib/lookup-request.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useLookup } from '../../lib/use-lookup.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { GroupField } from '../../ui/form/group-field.tsx'
import { LoadFailure } from '../../ui/form/load-failure.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { CellStatus } from '../../ui/table/cell-status.tsx'
import { useAutoSaved } from '../../ui/table/use-auto-saved.ts'
import { CodePicker } from './code-picker.tsx'

/** Why the requisition failed or passed, and what is to be minded about it; each list saves itself a second after the last change. */
export const CodesCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id, version, flag } = requisition
  const query = useQuery(codesSeenWith(requisition))
  const options = { isSilent: false } as const
  const saveFail = useSave(requisitionCellRoutes.failCodes, options)
  const savePass = useSave(requisitionCellRoutes.passCodes, options)
  const saveFlags = useSave(requisitionCellRoutes.flags, options)
  const params = { reqID: id }
  return (
    <Card title="Fail / Pass Codes">
      <Loaded query={query}>
        {({ data, seenWith }) => {
          const chosen = (type: 'FAIL' | 'PASS') =>
            data.filter(({ reasonTypeCode }) => reasonTypeCode === type).map(({ reasonId }) => reasonId)
          return (
            <>
              <Codes
                requisitionId={id}
                label="Fail Codes"
                name="failIds"
                lookup="failReasons"
                params={ofRequisitions}
                ids={chosen('FAIL')}
                version={seenWith}
                save={async (failIds, known) =>
                  (await saveFail({ params, body: { failIds }, headers: ifMatch(known) })).data
                }
              />
              <Codes
                requisitionId={id}
                label="Pass Codes"
                name="passIds"
                lookup="passReasons"
                params={ofRequisitions}
                ids={chosen('PASS')}
                version={seenWith}
                save={async (passIds, known) =>
                  (await savePass({ params, body: { passIds }, headers: ifMatch(known) })).data
                }
              />
              <Codes
                requisitionId={id}
                label="Flags"
                name="flagIds"
                lookup="flags"
                ids={flag === '' ? [] : flag.split(',').map(Number)}
                version={version}
                save={async (flagIds, known) =>
                  (await saveFlags({ params, body: { flagIds }, headers: ifMatch(known) })).data
                }
              />
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

/**
 * The codes are read apart from the requisition, whose version their saves name. They are read anew for each version, so that it is never
 * newer than they are: a save would otherwise pass for one that knows what somebody else has added.
 */
const codesSeenWith = ({ id, version }: RequisitionDetail) => {
  const { queryKey } = read(requisitionRecordRoutes.reasons, { params: { id } })
  return queryOptions({
    queryKey: [...queryKey, version],
    queryFn: async ({ signal }) => ({
      ...(await call(requisitionRecordRoutes.reasons, { params: { id }, signal })),
      seenWith: version,
    }),
    placeholderData: keepPreviousData,
  })
}

interface CodesProps {
  requisitionId: number
  label: string
  /** On the wire. */
  name: string
  lookup: LookupName
  params?: LookupParams
  ids: readonly number[]
  version: number
  save: (ids: number[], version: number) => Promise<{ version: number }>
}

const Codes = ({ requisitionId, label, name, lookup, params, ids, version, save }: CodesProps) => {
  const id = useId()
  const mayEdit = can(useRole(), 'codes.edit')
  const { options, error, retry } = useLookup(lookup, params)
  const cell = useAutoSaved<readonly number[]>({
    label: `${label} of #${requisitionId}`,
    value: ids,
    version,
    delayMs: 1000,
    isSame: isSameIds,
    save: (chosen, known) => save([...chosen], known),
  })
  if (error && options.length === 0)
    return (
      <GroupField id={id} label={label}>
        <LoadFailure onRetry={retry} />
      </GroupField>
    )
  return (
    <CodePicker
      label={label}
      options={options}
      chosen={cell.draft}
      isDisabled={!mayEdit}
      onChange={cell.change}
      onClose={cell.flush}
      status={<CellStatus cell={cell} label={label} valueIn={idsIn(name)} show={namesOf(options)} />}
    />
  )
}
