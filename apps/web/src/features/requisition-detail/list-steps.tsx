import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer } from 'react'
import { useNavigate, useParams } from 'react-router'
import { readMoreRows, recallList, rememberList } from '../../domain/list-position.ts'
import { isNearEnd, knownIds, type ListPosition } from '../../domain/list-steps.ts'
import { ChevronDownIcon } from '../../ui/icons.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { ChevronUpIcon } from '../../ui/table/table-icons.tsx'

const Steps = styled('nav')({ display: 'flex', alignItems: 'center', gap: 4, whiteSpace: 'nowrap' })
const number = new Intl.NumberFormat('en-US')

/** The position in the list that the user came from, with links to the previous and next row; the tab stays the same. */
export const ListSteps = ({ requisitionId }: { requisitionId: number }) => {
  const { tabSlug } = useParams()
  const client = useQueryClient()
  const navigate = useNavigate()
  const notify = useNotify()
  const list = recallList(requisitionId)
  useReadAhead(requisitionId)
  if (!list) return null
  const ids = knownIds(list)
  const index = ids.indexOf(requisitionId)
  const row = list.before + index + 1
  const open = (id: number, from: ListPosition) => {
    rememberList(from)
    navigate(`/requisitions/${id}/show${tabSlug ? `/${tabSlug}` : ''}`)
  }
  const step = async (by: 1 | -1) => {
    const beside = ids[index + by]
    if (beside !== undefined) return open(beside, list)
    try {
      const further = await readMoreRows(client, list, by)
      const id = further?.runs.at(by === 1 ? -1 : 0)?.ids.at(by === 1 ? 0 : -1)
      if (further && id !== undefined) open(id, further)
      else notify.info(`The list has no requisition ${by === 1 ? 'after' : 'before'} this one any more`)
    } catch (error) {
      notify.error((error as Error).message)
    }
  }
  return (
    <Steps aria-label="Rows of the list">
      <span className="meta">
        Row {number.format(row)} of {number.format(Math.max(row, list.total))}
      </span>
      <IconButton size="small" aria-label="Previous requisition" disabled={row <= 1} onClick={() => step(-1)}>
        <ChevronUpIcon />
      </IconButton>
      <IconButton size="small" aria-label="Next requisition" disabled={row >= list.total} onClick={() => step(1)}>
        <ChevronDownIcon />
      </IconButton>
    </Steps>
  )
}

/** Reads the next rows while the current row still shows the position. */
const useReadAhead = (requisitionId: number) => {
  const client = useQueryClient()
  const [, rerender] = useReducer((times: number) => times + 1, 0)
  useEffect(() => {
    const list = recallList(requisitionId)
    if (!list || !isNearEnd(list, requisitionId)) return
    let isLeft = false
    readMoreRows(client, list, 1).then(
      (further) => {
        // The user may have opened another list meanwhile.
        if (isLeft || !further) return
        rememberList(further)
        rerender()
      },
      // A step reads them itself if needed, and shows the error.
      () => undefined,
    )
    return () => {
      isLeft = true
    }
  }, [client, requisitionId])
}
