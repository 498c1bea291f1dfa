import { can } from '@lis/contract/access/permissions.ts'
import type { LookupName } from '@lis/contract/lookups.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import { requisitionRecordRoutes } from '@lis/contract/requisitions/record.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { call } from '../../lib/api.ts'
import { hasSameIds, labelsOf, readIds, requisitionCodes } from '../../lib/code-ids.ts'
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
import { useAutoSave } from '../../ui/table/use-auto-save.ts'
import { CodePicker } from './code-picker.tsx'

/** The requisition's fail and pass codes and flags; each list is saved a second after the last change. */
export const CodesCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id, version, flag } = requisition
  const query = useQuery(codesAtVersion(requisition))
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
                params={requisitionCodes}
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
                params={requisitionCodes}
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
 * The codes are read separately from the requisition, whose version their saves send. They are read again for each version, so that the
 * version is never newer than the codes: otherwise a save could overwrite codes that another user has added.
 */
const codesAtVersion = ({ id, version }: RequisitionDetail) => {
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
  /** Field name in the reply. */
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
  const cell = useAutoSave<readonly number[]>({
    label: `${label} of #${requisitionId}`,
    value: ids,
    version,
    delayMs: 1000,
    isSame: hasSameIds,
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
      status={<CellStatus cell={cell} label={label} valueIn={readIds(name)} show={labelsOf(options)} />}
    />
  )
}
