/** Whether the process is about to stop: it still answers, but a load balancer sends its calls elsewhere. */
export interface Draining {
  isDraining: boolean
}
