#!/usr/bin/env bash
# Runs the tests with trainers, on Ray and of OpenEnv, each in a venv with the versions
# that were tried, since they do not all go together. Run it from anywhere; it needs Go,
# some gigabytes of packages, and a quarter of an hour.
set -euo pipefail
cd "$(dirname "$0")"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset PIGPEN_BIN PYTHONPATH
python3 -m venv "$folder/build"
"$folder/build/bin/pip" wheel -q --no-deps -w "$folder" ..

# venv NAME PACKAGE...: makes a venv with the wheel and the packages.
venv() {
	python3 -m venv "$folder/$1"
	"$folder/$1/bin/pip" install -q "$folder"/pigpen-*.whl pytest cloudpickle "${@:2}"
}

venv trainers -r trainers.txt
"$folder/trainers/bin/python" -m pytest -p no:cacheprovider -rA -m trainers test_trainers.py -k "not tianshou"
"$folder/trainers/bin/python" -m pytest -p no:cacheprovider -rA -m ray test_ray.py
venv tianshou tianshou==2.0.1
"$folder/tianshou/bin/python" -m pytest -p no:cacheprovider -rA -m trainers test_trainers.py -k tianshou
venv openenv openenv-core==0.3.0
"$folder/openenv/bin/python" -m pytest -p no:cacheprovider -rA -m openenv test_openenv.py
