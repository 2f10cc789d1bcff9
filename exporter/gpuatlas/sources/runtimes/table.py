"""The runtimes: one row each, in order of precedence. A new runtime is a new row.

Where several rows match on the same kind of evidence, the first row wins: engines stand before
the frameworks that they are made of. Sources: facts/k8s.md 4 and 2.2; the label values of the
training operator and of KServe; the JAX documentation for its variables. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_KSERVE: Final = "serving.kserve.io/server-type"
_OPERATOR: Final = "training.kubeflow.org/operator-name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How one runtime is known.

    `programs` are sequences of adjacent words of a command line, the first one compared without
    its folder; `modules` are Python modules, those below them included. `options` are shared among
    programs, so they count less than an image. `images` are looked for as whole words in
    "<last folder>-<image name>", `image_names` are the whole name, `folders` any folder of the
    path; registry and tag are never looked at. `env` are names, with a beginning where they end in
    "*". `labels` are (key, value) of labels or annotations.
    A `launcher` starts other programs: it names the runtime only where nothing else does.
    """

    name: str
    programs: tuple[tuple[str, ...], ...] = ()
    modules: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    image_names: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    launcher: bool = False


def _kserve(name: str, *types: str) -> Row:
    """A server of KServe's own that is known by its image and its server type alone."""
    return Row(name=name, images=types, labels=tuple((_KSERVE, t) for t in types))


ROWS: Final[tuple[Row, ...]] = (
    Row(
        name="vllm",
        programs=(("vllm", "serve"),),
        modules=("vllm.entrypoints",),
        options=("--gpu-memory-utilization", "--tensor-parallel-size"),
        images=("vllm", "llm-d-cuda"),
        env=("VLLM_*",),
        labels=((_KSERVE, "vllmserver"),),
    ),
    Row(
        name="sglang",
        modules=("sglang.launch_server",),
        options=("--mem-fraction-static",),
        images=("sglang",),
        env=("SGLANG_*",),
    ),
    Row(
        name="tensorrt-llm",
        programs=(("trtllm-serve",),),
        images=("tensorrt-llm", "tensorrtllm"),
    ),
    Row(
        name="tgi",
        programs=(("text-generation-launcher",),),
        images=("text-generation-inference",),
    ),
    Row(
        name="triton",
        programs=(("tritonserver",),),
        options=("--model-repository",),
        images=("tritonserver",),
        labels=((_KSERVE, "tritonserver"),),
    ),
    Row(name="nim", folders=("nim",), env=("NIM_*",)),
    Row(
        name="ollama",
        programs=(("ollama", "serve"), ("ollama", "run")),
        images=("ollama",),
        env=("OLLAMA_*",),
    ),
    Row(
        name="llama.cpp",
        programs=(("llama-server",),),
        modules=("llama_cpp.server",),
        options=("-ngl",),
        images=("llama-cpp",),
        env=("LLAMA_ARG_*",),
    ),
    Row(
        name="kserve-huggingface",
        modules=("huggingfaceserver",),
        images=("huggingfaceserver",),
        labels=((_KSERVE, "huggingfaceserver"),),
    ),
    Row(
        name="torchserve",
        programs=(("torchserve",),),
        images=("torchserve",),
        labels=((_KSERVE, "torchserve"),),
    ),
    Row(
        name="tensorflow-serving",
        programs=(("tensorflow_model_server",),),
        images=("tensorflow-serving",),
        labels=((_KSERVE, "tensorflow-serving"),),
    ),
    Row(
        name="openvino",
        images=("openvino", "ovms"),
        labels=((_KSERVE, "ovms"),),
    ),
    _kserve("mlserver", "mlserver"),
    _kserve("kserve-sklearn", "sklearnserver"),
    _kserve("kserve-xgboost", "xgbserver"),
    _kserve("kserve-lightgbm", "lgbserver", "lightgbmserver"),
    _kserve("kserve-paddle", "paddleserver"),
    _kserve("kserve-pmml", "pmmlserver"),
    _kserve("kserve-predictive", "predictiveserver"),
    _kserve("kserve-autogluon", "autogluonserver"),
    _kserve("kserve-pytorch", "pytorchserver"),
    Row(  # KubeRay labels the pods of a RayService, whatever the traffic is now
        name="ray-serve",
        programs=(("serve", "run"), ("serve", "deploy")),
        labels=(("ray.io/serve", "true"), ("ray.io/serve", "false")),
    ),
    Row(  # the other editors of Kubeflow, which set NB_PREFIX as well
        name="rstudio",
        images=("rstudio",),
    ),
    Row(name="code-server", images=("codeserver", "code-server")),
    Row(
        name="jupyter",
        programs=(
            ("jupyter", "lab"),
            ("jupyter", "notebook"),
            ("jupyter", "server"),
            ("jupyter-lab",),
            ("jupyter-notebook",),
            ("start-notebook.sh",),
            ("start-notebook.py",),
            ("start-singleuser.sh",),
            ("jupyterhub-singleuser",),
        ),
        images=("jupyter", "jupyterlab"),
        folders=("jupyter",),
        env=("NB_PREFIX", "JUPYTERHUB_*"),
    ),
    Row(
        name="deepspeed",
        programs=(("deepspeed",),),
        options=("--deepspeed",),
        images=("deepspeed",),
    ),
    Row(
        name="pytorch",
        programs=(("torchrun",), ("accelerate", "launch")),
        modules=("torch.distributed",),
        images=("pytorch",),
        env=("PET_*", "MASTER_ADDR"),
        labels=((_OPERATOR, "pytorchjob-controller"),),
    ),
    Row(
        name="tensorflow",
        images=("tensorflow",),
        env=("TF_CONFIG", "TF_FORCE_GPU_ALLOW_GROWTH"),
        labels=((_OPERATOR, "tfjob-controller"),),
    ),
    Row(
        name="jax",
        images=("jax",),
        env=("JAX_*", "XLA_PYTHON_CLIENT_*", "XLA_CLIENT_MEM_FRACTION"),
        labels=((_OPERATOR, "jaxjob-controller"),),
    ),
    Row(
        name="paddle",
        modules=("paddle.distributed",),
        images=("paddle", "paddlepaddle"),
        env=("PADDLE_*",),
        labels=((_OPERATOR, "paddlejob-controller"),),
    ),
    Row(
        name="xgboost",
        images=("xgboost",),
        labels=((_OPERATOR, "xgboostjob-controller"),),
    ),
    Row(
        name="ray",
        programs=(("ray", "start"), ("ray", "job")),
        images=("ray-ml", "ray-llm"),
        image_names=("ray",),
        folders=("rayproject",),
        env=("RAY_*",),
        labels=(("ray.io/is-ray-node", "yes"),),
        launcher=True,
    ),
    Row(
        name="mpi",
        programs=(("mpirun",), ("mpiexec",), ("horovodrun",)),
        env=("OMPI_MCA_*",),
        labels=((_OPERATOR, "mpi-operator"), (_OPERATOR, "mpijob-controller")),
        launcher=True,
    ),
)

# Programs whose name is also a package, a folder or an option's value: they count only where a
# command can stand.
ALSO_PLAIN_WORDS: Final = frozenset({"deepspeed", "torchserve"})
