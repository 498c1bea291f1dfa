import { isJobOver, type Job, jobRoutes } from '@lis/contract/jobs.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from './query.ts'

const pollMs = 500

/** A job, polled until it has ended; undefined without an id. */
export const useJob = (id: string | null): Job | undefined => {
  const { data } = useQuery({
    ...read(jobRoutes.one, { params: { id: id ?? '' } }),
    enabled: id !== null,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isJobOver(state.data.data.state) ? false : pollMs),
  })
  return id === null ? undefined : data?.data
}
